// Reading tables of numbers, and the words for every way in which a file can be wrong.
#include "breakstep/target/csv.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "breakstep/error.hpp"
#include "breakstep/target/german_credit.hpp"
#include "breakstep/target/pilots.hpp"

namespace {

namespace target = breakstep::target;

class Csv : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("breakstep_csv_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(folder_);
    before_ = std::filesystem::current_path();
    std::filesystem::current_path(folder_);
  }
  void TearDown() override {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(folder_);
  }

  static void write(const std::string& text) { std::ofstream("data.csv", std::ios::binary) << text; }

  template <class Read>
  static std::string complaint(Read read) {
    try {
      read();
    } catch (const breakstep::Error& error) {
      return error.what();
    }
    return "accepted";
  }
  static std::string complaint_about(const std::string& text) {
    write(text);
    return complaint([] { (void)target::read_csv("data.csv"); });
  }

 private:
  std::filesystem::path folder_, before_;
};

TEST_F(Csv, reads_names_and_numbers) {
  write(
      "\xEF\xBB\xBF"
      "a,\"b\", c d\r\n1, -2.5 ,3e2\r\n4,5,.5\r\n\r\n\n");
  const auto table = target::read_csv("data.csv");
  EXPECT_EQ(table.names(), (std::vector<std::string>{"a", "b", "c d"}));
  ASSERT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.column("a"), (std::vector<double>{1, 4}));
  EXPECT_EQ(table.column("b"), (std::vector<double>{-2.5, 5}));
  EXPECT_EQ(table.column("c d"), (std::vector<double>{300, 0.5}));
}

TEST_F(Csv, says_what_is_wrong_with_a_path) {
  EXPECT_EQ(complaint([] { (void)target::read_csv("none.csv"); }),
            "cannot read data file none.csv (there is no such file): check its name and folder");
  EXPECT_EQ(complaint([] { (void)target::read_csv("."); }),
            "cannot read data file . (it is a directory): give a file inside it");
}

TEST_F(Csv, refuses_a_huge_file_before_reading_it) {
  write("a\n");
  std::filesystem::resize_file("data.csv", std::uintmax_t{257} * 1024 * 1024);  // sparse
  EXPECT_EQ(complaint([] { (void)target::read_csv("data.csv"); }),
            "data file data.csv is too large (data files may have at most 256 MB): give fewer rows");
}

TEST_F(Csv, says_what_is_wrong_with_a_file) {
  const std::string empty = "data file data.csv is empty (it needs a row of names and rows of numbers): check the file";
  EXPECT_EQ(complaint_about(""), empty);
  EXPECT_EQ(complaint_about(" \n\n"), empty);
  EXPECT_EQ(complaint_about("a,b\n"),
            "data file data.csv has 0 rows of numbers (at least 1 is needed): give more data");
  EXPECT_EQ(complaint_about("1,2\n3,4\n"),
            "data file data.csv, row 1: column 1 is named '1' (the first row names the columns, and this is a number): "
            "add a row of names at the top");
  EXPECT_EQ(complaint_about("a,,c\n1,2,3\n"),
            "data file data.csv, row 1: column 2 has no name (the first row names the columns): name every column");
  EXPECT_EQ(complaint_about("a,a\n1,2\n"),
            "data file data.csv, row 1: there are two columns 'a' (columns are found by name): rename one of them");
}

TEST_F(Csv, says_what_is_wrong_with_a_row) {
  EXPECT_EQ(complaint_about("a,b\n1,2\n3\n"),
            "data file data.csv, row 3 has 1 field (the first row names 2 columns): give every row one number per "
            "column");
  EXPECT_EQ(complaint_about("a\n1\n\n2\n"),
            "data file data.csv, row 3, column 'a' is empty (missing values cannot be used): fill it in or remove the "
            "row");
  EXPECT_EQ(complaint_about("a,b\n1,two\n"),
            "data file data.csv, row 2, column 'b' is 'two' (that is not a number): write it like 1.5 or -2e-3");
  EXPECT_EQ(complaint_about("a,b\n1,2x\n"),
            "data file data.csv, row 2, column 'b' is '2x' (that is not a number): write it like 1.5 or -2e-3");
  EXPECT_EQ(complaint_about("a,b\n1,2\nnan,3\n"),
            "data file data.csv, row 3, column 'a' is 'nan' (only finite numbers can be used): correct or remove the "
            "row");
  EXPECT_EQ(complaint_about("a,b\n-inf,3\n"),
            "data file data.csv, row 2, column 'a' is '-inf' (only finite numbers can be used): correct or remove the "
            "row");
}

TEST_F(Csv, targets_say_which_column_and_row_they_cannot_use) {
  write("group_id,scenario,y\n1,1,0.5\n");
  EXPECT_EQ(complaint([] { (void)target::Pilots::read("data.csv"); }),
            "data file data.csv has no column 'scenario_id' (it has 'group_id', 'scenario', 'y'): rename the column "
            "that is meant");
  write("group_id,scenario_id,y\n1,1,0.5\n1.5,1,0.5\n");
  EXPECT_EQ(complaint([] { (void)target::Pilots::read("data.csv"); }),
            "data file data.csv, row 3: column 'group_id' cannot be used (it must be a whole number from 1 to 100000): "
            "correct the file");
  write("f,label\n1,1\n");
  EXPECT_EQ(complaint([] { (void)target::GermanCredit::read("data.csv"); }),
            "data file data.csv has 1 row of numbers (at least 2 are needed): give more data");
  write("f,label\n1,1\n1,2\n");
  EXPECT_EQ(complaint([] { (void)target::GermanCredit::read("data.csv"); }),
            "feature 1 of the credit data is constant (it cannot be scaled to the interval from -1 to 1): remove its "
            "column, or give more rows");
}

}  // namespace
