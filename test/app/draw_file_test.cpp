// `breakstep sample --out`: the file is what NumPy reads, whole or not there, and never replaced unasked.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "breakstep/runtime/sample.hpp"
#include "run_breakstep.hpp"

namespace breakstep_app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using test::Result;
using Arguments = std::vector<std::string>;

// A folder of its own for each test, removed afterwards.
class DrawFile : public testing::Test {
 protected:
  DrawFile() : folder_(testing::TempDir() + "breakstep_npy_" + std::to_string(getpid())) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~DrawFile() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path(name), std::ios::binary).rdbuf();
    return text.str();
  }
  [[nodiscard]] int files() const {
    const fs::directory_iterator all(folder_);
    return static_cast<int>(std::distance(begin(all), end(all)));
  }
  [[nodiscard]] Result sample(const Arguments& more) const {
    Arguments arguments = {"sample", "--sampler", "slice", "--target", "log-gamma", "--dimension",
                           "3",      "--chains",  "17",    "--draws",  "11",        "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return test::run(arguments);
  }
  void expect_refused(const Result& result, const std::string& message) const {
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, "breakstep: " + message + "\n");
  }

 private:
  std::string folder_;
};

template <class Real>
void expect_file_of(const std::string& file, const std::string& descr, const std::string& hash) {
  ASSERT_GE(file.size(), 10U);
  EXPECT_EQ(file.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  const std::size_t length = static_cast<unsigned char>(file[8]) + 256U * static_cast<unsigned char>(file[9]);
  EXPECT_EQ((10 + length) % 64, 0U);
  const std::string header = file.substr(10, length);
  const std::string meaning = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (17, 11, 3), }";
  EXPECT_EQ(header.substr(0, meaning.size()), meaning);
  EXPECT_EQ(header.find_first_not_of(' ', meaning.size()), length - 1) << "blanks up to a line feed";
  EXPECT_EQ(header.back(), '\n');
  std::vector<Real> values(17 * 11 * 3);
  ASSERT_EQ(file.size() - 10 - length, values.size() * sizeof(Real));
  std::memcpy(values.data(), file.data() + 10 + length, values.size() * sizeof(Real));
  EXPECT_EQ(breakstep::runtime::hash_of(values), std::stoull(hash, nullptr, 16));
}

TEST_F(DrawFile, HoldsTheDrawsAsNumPyReadsThem) {
  const Result doubles = sample({"--out", path("double.npy")});
  ASSERT_EQ(doubles.code, 0) << doubles.err;
  expect_file_of<double>(read("double.npy"), "<f8", Json::parse(doubles.out)["draws_hash"]);
  const Result floats = sample({"--out", path("single.npy"), "--precision", "single"});
  ASSERT_EQ(floats.code, 0) << floats.err;
  expect_file_of<float>(read("single.npy"), "<f4", Json::parse(floats.out)["draws_hash"]);
  EXPECT_EQ(files(), 2) << "no temporary file stays behind";
  const mode_t mask = umask(0);
  umask(mask);
  struct stat status {};
  ASSERT_EQ(stat(path("double.npy").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0666 & ~mask);
}

// The numbers of a file of doubles of this shape.
std::vector<double> numbers_of(const std::string& file, const std::string& shape) {
  EXPECT_NE(file.substr(0, 128).find("'descr': '<f8', 'fortran_order': False, 'shape': " + shape), std::string::npos);
  const std::size_t begin = 10 + static_cast<unsigned char>(file[8]) + 256U * static_cast<unsigned char>(file[9]);
  std::vector<double> numbers((file.size() - begin) / sizeof(double));
  std::memcpy(numbers.data(), file.data() + begin, numbers.size() * sizeof(double));
  return numbers;
}

TEST_F(DrawFile, HoldsWhatIsReportedAndTheLogLikelihoods) {
  const Arguments schools = {"sample", "--sampler",     "nuts",     "--target", "eight_schools_noncentred",
                             "--set",  "step_size=0.5", "--chains", "3",        "--draws",
                             "4",      "--json"};
  const auto run = [&](Arguments arguments, const Arguments& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return test::run(arguments);
  };
  const Result reported = run(schools, {"--out", path("own.npy"), "--log-likelihood", path("likelihood.npy")});
  ASSERT_EQ(reported.code, 0) << reported.err;
  ASSERT_EQ(run(schools, {"--out", path("raw.npy"), "--unconstrained"}).code, 0);
  const auto own = numbers_of(read("own.npy"), "(3, 4, 18)"), raw = numbers_of(read("raw.npy"), "(3, 4, 10)");
  const auto likelihood = numbers_of(read("likelihood.npy"), "(3, 4, 8)");
  EXPECT_EQ(breakstep::runtime::hash_of(raw),
            std::stoull(Json::parse(reported.out)["draws_hash"].get<std::string>(), nullptr, 16));
  for (std::size_t draw = 0; draw < 12; ++draw) {
    const double* x = raw.data() + 10 * draw;
    const double tau = std::exp(x[9]), theta = x[8] + tau * x[6];
    EXPECT_NEAR(own[18 * draw + 9], tau, 1e-12 * tau);
    EXPECT_NEAR(own[18 * draw + 16], theta, 1e-12 * (tau + std::abs(theta)));
    EXPECT_NEAR(likelihood[8 * draw + 6],
                -0.5 * (18 - theta) * (18 - theta) / 100 - std::log(10.0) - 0.9189385332046727, 1e-10);
  }
  expect_refused(
      run(schools, {"--log-likelihood", path("likelihood.npy")}),
      "will not replace " + path("likelihood.npy") + " (the file exists): choose another name or add --force");
  EXPECT_EQ(files(), 3);
}

TEST_F(DrawFile, MayHaveARelativeName) {
  const fs::path before = fs::current_path();
  fs::current_path(path(""));
  const Result result = sample({"--out", "draws.npy"});
  fs::current_path(before);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_GT(read("draws.npy").size(), 1000U);
}

TEST_F(DrawFile, IsReplacedOnlyByForce) {
  std::ofstream(path("draws.npy")) << "precious";
  expect_refused(sample({"--out", path("draws.npy")}),
                 "will not replace " + path("draws.npy") + " (the file exists): choose another name or add --force");
  EXPECT_EQ(read("draws.npy"), "precious");
  fs::create_symlink(path("draws.npy"), path("link.npy"));
  EXPECT_EQ(sample({"--out", path("link.npy"), "--force"}).code, 0);
  EXPECT_EQ(read("draws.npy").substr(1, 5), "NUMPY");
  EXPECT_TRUE(fs::is_symlink(path("link.npy")));
  EXPECT_EQ(files(), 2);
}

TEST_F(DrawFile, FailuresLeaveNothingBehind) {
  const std::string end = "): choose another file; nothing was left behind";
  expect_refused(sample({"--out", path("none/draws.npy")}),
                 "cannot write " + path("none/draws.npy") + " (No such file or directory" + end);
  std::ofstream(path("file")) << "a file";
  expect_refused(sample({"--out", path("file/draws.npy")}),
                 "cannot write " + path("file/draws.npy") + " (Not a directory" + end);
  expect_refused(sample({"--out", path("")}), "cannot write " + path("") + " (Is a directory" + end);
  fs::create_symlink("/dev/full", path("full.npy"));
  expect_refused(sample({"--out", path("full.npy")}),
                 "cannot write " + path("full.npy") + " (No space left on device" + end);
  EXPECT_TRUE(fs::is_symlink(path("full.npy")));
  EXPECT_EQ(files(), 2) << "the file and the link";
}

// What a shell says of `before`, then this tool writing 800,000 bytes to draws.npy; 128 + n if signal n ended it.
int code_of_shell(const std::string& before, const std::string& folder) {
  const std::string command = before + BREAKSTEP_PROGRAM +
                              " sample --sampler slice --target log-gamma --chains 100 --draws 1000 --out " + folder +
                              "/draws.npy 2>" + folder + "/message >" + folder + "/out";
  return WEXITSTATUS(std::system(("bash -c \"" + command + "; exit \\$?\"").c_str()));
}

TEST_F(DrawFile, NeedsPermission) {
  // Root may write everywhere, so this runs as nobody, to whom the folder is closed.
  const std::string nobody = "setpriv --reuid 65534 --clear-groups ";
  if (std::system((nobody + BREAKSTEP_PROGRAM " --version >/dev/null 2>&1").c_str()) != 0) {
    GTEST_SKIP() << "this user cannot become another, or nobody else may run the tool";
  }
  EXPECT_EQ(code_of_shell(nobody, path("")), 2);
  EXPECT_EQ(read("message"), "breakstep: cannot write " + path("/draws.npy") +
                                 " (Permission denied): choose another file; nothing was left behind\n");
  EXPECT_EQ(read("out"), "");
  EXPECT_EQ(files(), 2) << "message and out";
}

// The limit on a file's size makes a write fail in the middle, as a disk that fills up does.
TEST_F(DrawFile, AWriteThatFailsHalfWayLeavesNothing) {
  EXPECT_EQ(code_of_shell("ulimit -f 64; trap '' XFSZ; ", path("")), 2);
  EXPECT_EQ(read("message"), "breakstep: cannot write " + path("/draws.npy") +
                                 " (File too large): choose another file; nothing was left behind\n");
  EXPECT_EQ(read("out"), "");
  EXPECT_EQ(files(), 2) << "message and out";
}

TEST_F(DrawFile, ASignalInTheMiddleOfWritingLeavesNothing) {
  EXPECT_EQ(code_of_shell("ulimit -f 64; ", path("")), 128 + SIGXFSZ);
  EXPECT_EQ(files(), 2) << "message and out";
}

// Interrupted at many moments of sampling and writing: the file is there whole, or nothing is.
TEST_F(DrawFile, AnInterruptionLeavesNothingHalfWritten) {
  constexpr std::uintmax_t whole = 128 + 2000UL * 1000 * 8;
  const std::string out = path("draws.npy");
  int interrupted = 0;
  for (int wait = 5; wait <= 400; wait += wait / 4 + 5) {
    const pid_t child = fork();
    if (child == 0) {
      const int null = open("/dev/null", O_WRONLY);
      dup2(null, STDOUT_FILENO);
      dup2(null, STDERR_FILENO);
      execl(BREAKSTEP_PROGRAM, BREAKSTEP_PROGRAM, "sample", "--sampler", "delayed-rejection", "--target",
            "standard-normal", "--chains", "2000", "--draws", "1000", "--out", out.c_str(), nullptr);
      _exit(127);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(wait));
    kill(child, SIGINT);
    int status = 0;
    waitpid(child, &status, 0);
    interrupted += WIFSIGNALED(status) ? 1 : 0;
    if (fs::exists(out)) {
      EXPECT_EQ(fs::file_size(out), whole);
    }
    EXPECT_LE(files(), fs::exists(out) ? 1 : 0) << "after " << wait << " ms";
    fs::remove(out);
  }
  EXPECT_GT(interrupted, 3);
}

}  // namespace
}  // namespace breakstep_app
