// Reading tables of numbers, and the words for every way in which a file can be wrong.
#include "breakstep/target/data_table.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "breakstep/error.hpp"
#include "breakstep/target/eight_schools.hpp"
#include "breakstep/target/german_credit.hpp"
#include "breakstep/target/logistic_regression.hpp"
#include "breakstep/target/pilots.hpp"

namespace {

namespace target = breakstep::target;

class DataFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("breakstep_data_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
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
    return complaint([] { (void)target::read_data("data.csv"); });
  }

 private:
  std::filesystem::path folder_, before_;
};

TEST_F(DataFile, reads_names_and_numbers) {
  write(
      "\xEF\xBB\xBF"
      "a,\"b\", c d\r\n1, -2.5 ,3e2\r\n4,5,.5\r\n\r\n\n");
  const auto table = target::read_data("data.csv");
  EXPECT_EQ(table.names(), (std::vector<std::string>{"a", "b", "c d"}));
  ASSERT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.column("a"), (std::vector<double>{1, 4}));
  EXPECT_EQ(table.column("b"), (std::vector<double>{-2.5, 5}));
  EXPECT_EQ(table.column("c d"), (std::vector<double>{300, 0.5}));
}

TEST_F(DataFile, says_what_is_wrong_with_a_path) {
  EXPECT_EQ(complaint([] { (void)target::read_data("none.csv"); }),
            "cannot read data file none.csv (there is no such file): check its name and folder");
  EXPECT_EQ(complaint([] { (void)target::read_data("."); }),
            "cannot read data file . (it is a directory): give a file inside it");
}

TEST_F(DataFile, refuses_a_huge_file_before_reading_it) {
  write("a\n");
  std::filesystem::resize_file("data.csv", std::uintmax_t{257} * 1024 * 1024);  // sparse
  EXPECT_EQ(complaint([] { (void)target::read_data("data.csv"); }),
            "data file data.csv is too large (data files may have at most 256 MB): give fewer rows");
}

TEST_F(DataFile, says_what_is_wrong_with_a_file) {
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

TEST_F(DataFile, says_what_is_wrong_with_a_row) {
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

TEST_F(DataFile, targets_say_which_column_and_row_they_cannot_use) {
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

TEST_F(DataFile, json_arrays_are_columns_and_rows) {
  write("\n {\"N\": 2, \"K\": 3,\r\n  \"X\": [[1, -2.5, 3e2], [4, 5, 6]],\n  \"y\": [0, 1]}\n");
  const auto table = target::read_data("data.csv");
  EXPECT_EQ(table.names(), (std::vector<std::string>{"X[0]", "X[1]", "X[2]", "y"}));
  ASSERT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.column("X[1]"), (std::vector<double>{-2.5, 5}));
  EXPECT_EQ(table.column("y"), (std::vector<double>{0, 1}));
  EXPECT_EQ(table.outcome(), 3U);
  write(R"({"y": [0, 1], "x": [2, 3]})");
  EXPECT_EQ(target::read_data("data.csv").outcome(), 0U) << "by its name, wherever it stands";
}

TEST_F(DataFile, says_where_json_is_wrong) {
  const auto expect = [&](const std::string& text, const std::string& complaint) {
    EXPECT_EQ(complaint_about(text), "data file data.csv" + complaint) << text;
  };
  const std::string finite = " (only finite numbers can be used): correct or remove it";
  const std::string number = " (that is not a number): write it like 1.5 or -2e-3";
  expect("{\"y\": [1,\n 2, NaN]}", ", line 2, column 5: a value of 'y' is 'NaN'" + finite);
  expect("{\"y\": [1e999]}", ", line 1, column 8: a value of 'y' is '1e999'" + finite);
  expect(R"({"y": [1, "two"]})", R"(, line 1, column 11: a value of 'y' is '"two"')" + number);
  expect("{\"y\": null}", ", line 1, column 7: a value of 'y' is 'null'" + number);
  expect("{\"y\": [1, [2]]}", ", line 1, column 11: a value of 'y' is '['" + number);
  expect("{\"X\": [[[1]]]}", ", line 1, column 9: a value of 'X' is '['" + number);
  expect("{\"X\": [[1, 2],\n  [3]]}",
         ", line 2, column 3: row 2 of 'X' has 1 number (its first row has 2): give every row the same number");
  expect("{\"X\": [[1], 2]}",
         ", line 1, column 13: '[' is missing before '2' ('X' is an array of rows, and a row is an array): correct the "
         "file");
  expect(R"({"y": [1, 2], "sigma": [3]})", ", line 1, column 15: 'sigma' has 1 row ('y' has 2 rows): make them agree");
  expect(R"({"J": 8, "y": [1, 2]})",
         ", line 1, column 2: 'J' is not the number of rows ('y' has 2 rows): make them agree");
  expect(R"({"y": [1], "y": [2]})",
         ", line 1, column 12: there are two fields 'y' (fields are found by name): rename one of them");
  expect("{\"y\": [1 2]}",
         ", line 1, column 10: ']' is missing before '2' (numbers are separated by commas, and ] ends the array): "
         "correct the file");
  expect("{\"é\": [1, x]}", ", line 1, column 11: a value of 'é' is 'x'" + number);
  expect("{\"y\": [1, 2",
         ", line 1, column 12: ']' is missing before the end of the file (numbers are separated by commas, and ] ends "
         "the array): correct the file");
  expect("{\"y\": [1,",
         ", line 1, column 10: the file ends where a number is expected ('y' is not complete): correct the file");
  expect("{y: [1]}",
         ", line 1, column 2: '\"' is missing before 'y' (a field begins with its name in quotes): correct the file");
  expect("{\"y\" [1]}",
         ", line 1, column 6: ':' is missing before '[' (a colon stands between a field's name and its value): correct "
         "the file");
  expect("{\"y",
         ", line 1, column 2: the name of a field does not end on its line (names are plain text between quotes): "
         "correct the file");
  expect("{\"y\": [1]} and",
         ", line 1, column 12: 'and' follows the object (one object is the whole file): correct the file");
  expect(
      "[1, 2]",
      ", line 1, column 1: '{' is missing before '[' (the file is one object, such as {\"y\": [1, 2], \"sigma\": [3, "
      "4]}): correct the file");
  expect("{\"J\": 3}", " has no array (its arrays are the data): check the file");
  expect("{}", " has no array (its arrays are the data): check the file");
  expect("{\"y\": []}", " has 0 rows of numbers (at least 1 is needed): give more data");
}

// Any text is refused in words or read; nothing else happens to it.
TEST_F(DataFile, broken_json_never_does_harm) {
  const std::string whole = R"({"J": 2, "X": [[1, 2], [3, 4]], "y": [0.5, -1e3]})";
  for (std::size_t end = 1; end < whole.size(); ++end) EXPECT_NE(complaint_about(whole.substr(0, end)), "accepted");
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char c : {'{', '}', '[', ']', ',', ':', '"', '\\', '\n', '-', 'e', '\0', '\xFF'}) {
      std::string broken = whole;
      broken[at] = c;
      (void)complaint_about(broken);
    }
  }
  EXPECT_EQ(complaint_about(whole), "accepted");
}

TEST_F(DataFile, targets_read_json_and_say_what_they_miss) {
  write(R"({"J": 2, "y": [28, 8], "sigma": [15, 10]})");
  EXPECT_EQ(target::EightSchools::read("data.csv").schools(), 2);
  write(R"({"J": 2, "y": [28, 8]})");
  EXPECT_EQ(complaint([] { (void)target::EightSchools::read("data.csv"); }),
            "data file data.csv has no array 'sigma' (it has 'y'): add it, or rename the one that is meant");
  write("{\"y\": [28, 8],\n\"sigma\": [15, 0]}");
  EXPECT_EQ(complaint([] { (void)target::EightSchools::read("data.csv"); }),
            "data file data.csv, line 2, column 15: a number of 'sigma' cannot be used (standard errors are positive): "
            "correct the file");
  write(R"({"y": [0, 1, 1], "X": [[1, 2], [3, 4], [5, 6]]})");
  EXPECT_EQ(target::LogisticRegression::read("data.csv").parameters().names(),
            (std::vector<std::string>{"intercept", "X[0]", "X[1]"}));
  write(R"({"y": [0, 2], "X": [[1, 2], [3, 4]]})");
  EXPECT_EQ(complaint([] { (void)target::LogisticRegression::read("data.csv"); }),
            "data file data.csv, line 1, column 11: a number of 'y' cannot be used (it is the outcome and must be 0 or "
            "1): correct the file");
}

}  // namespace
