// A statistical battery on the streams, and proof that it notices generators that are broken on purpose.
//
// Every check yields a p-value; a stream fails if any falls below `alarm` or above 1 − `alarm`. With 69 p-values per
// run of the whole file and alarm = 1e-7, a sound generator fails once in 70,000 choices of seed; the seeds are fixed.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "breakstep/lanes/float_mode.hpp"
#include "breakstep/lanes/random.hpp"

namespace {

using namespace breakstep::lanes;

constexpr double alarm = 1e-7;
constexpr std::uint64_t seed = 20250722;
constexpr int W = 8;
using Word = Pack<std::uint32_t, W>;

struct Verdict {
  std::string check;
  double p;
};

double p_of_normal(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

/// P(χ² < x) with k degrees of freedom by Wilson and Hilferty's cube root, good to 1e-3 relative for k ≥ 100.
double p_of_chi2(double x, double k) {
  return p_of_normal((std::cbrt(x / k) - (1 - 2 / (9 * k))) / std::sqrt(2 / (9 * k)));
}

double chi2_of_counts(const std::vector<std::uint32_t>& counts, double expected) {
  double sum = 0;
  for (const auto count : counts) sum += (count - expected) * (count - expected) / expected;
  return sum;
}

/// Kolmogorov's distance between values and a distribution function, as an upper-tail probability.
double p_of_distance(std::vector<double> values, const std::function<double(double)>& cdf) {
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  double distance = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double f = cdf(values[i]);
    distance = std::max({distance, f - static_cast<double>(i) / n, (static_cast<double>(i) + 1) / n - f});
  }
  const double lambda = (std::sqrt(n) + 0.12 + 0.11 / std::sqrt(n)) * distance;
  double tail = 0;
  for (int j = 1; j <= 50; ++j) tail += (j % 2 == 1 ? 2 : -2) * std::exp(-2.0 * j * j * lambda * lambda);
  return 1 - std::clamp(tail, 0.0, 1.0);
}

/// Checks on a sequence of 32-bit words: cells, pairs, bits, correlation, Hamming weights, spacing of birthdays.
std::vector<Verdict> check_words(const std::vector<std::uint32_t>& words) {
  const auto n = static_cast<double>(words.size());
  std::vector<Verdict> verdicts;

  std::vector<std::uint32_t> high(4096), low(4096), pairs(65536), weights(33);
  std::array<double, 32> ones{};
  double correlation = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint32_t w = words[i];
    ++high[w >> 20];
    ++low[w & 0xFFFU];
    ++weights[std::popcount(w)];
    for (int b = 0; b < 32; ++b) ones[b] += (w >> b) & 1U;
    if (i > 0) {
      ++pairs[(words[i - 1] >> 24 << 8) | (w >> 24)];
      correlation += (words[i - 1] * 0x1p-32 - 0.5) * (w * 0x1p-32 - 0.5);
    }
  }
  verdicts.push_back({"high bits in 4096 cells", p_of_chi2(chi2_of_counts(high, n / 4096), 4095)});
  verdicts.push_back({"low bits in 4096 cells", p_of_chi2(chi2_of_counts(low, n / 4096), 4095)});
  verdicts.push_back({"pairs in 65536 cells", p_of_chi2(chi2_of_counts(pairs, (n - 1) / 65536), 65535)});
  verdicts.push_back({"correlation of neighbours", p_of_normal(12 * correlation / std::sqrt(n - 1))});
  double worst_bit = 0;
  for (const double count : ones) worst_bit = std::max(worst_bit, std::fabs(count - n / 2) / std::sqrt(n / 4));
  verdicts.push_back({"worst of 32 bits", std::pow(std::erf(worst_bit / std::sqrt(2.0)), 32)});
  double weight_mean = 0, weight_square = 0;
  for (int k = 0; k <= 32; ++k) {
    weight_mean += weights[k] * (k - 16.0) / n;
    weight_square += weights[k] * (k - 16.0) * (k - 16.0) / n;
  }
  verdicts.push_back({"mean Hamming weight", p_of_normal(weight_mean / std::sqrt(8 / n))});
  // Var((K−16)²) for Binomial(32, ½): μ₄ − σ⁴ with σ² = 8 and μ₄ = 3σ⁴ − σ²/2 = 188.
  verdicts.push_back({"variance of Hamming weight", p_of_normal((weight_square - 8) / std::sqrt((188 - 64) / n))});

  // 2¹² birthdays in a year of 2³² days: repeated spacings are Poisson with mean 2³⁶/2³⁴ = 4 per group (Marsaglia).
  const std::size_t birthdays = 4096;
  double repeats = 0, groups = 0;
  for (std::size_t start = 0; start + birthdays <= words.size() && groups < 256; start += birthdays, ++groups) {
    std::vector<std::uint32_t> days(words.begin() + static_cast<std::ptrdiff_t>(start),
                                    words.begin() + static_cast<std::ptrdiff_t>(start + birthdays));
    std::sort(days.begin(), days.end());
    for (std::size_t i = birthdays - 1; i > 0; --i) days[i] -= days[i - 1];
    std::sort(days.begin() + 1, days.end());
    for (std::size_t i = 2; i < birthdays; ++i) repeats += days[i] == days[i - 1] ? 1 : 0;
  }
  verdicts.push_back({"birthday spacings", p_of_normal((repeats - 4 * groups) / std::sqrt(4 * groups))});
  return verdicts;
}

/// A generator under test: the four words at (chain, draw, index, purpose).
using Generator = std::function<Words<std::uint32_t, W>(Word chain, Word draw, Word index, Word purpose)>;

/// Walks the counter along one of its four coordinates, as one run of a program would, and lists the words met.
std::vector<std::uint32_t> walk(const Generator& generate, int coordinate, std::size_t count) {
  std::vector<std::uint32_t> words;
  words.reserve(count);
  for (std::uint32_t at = 0; words.size() < count; at += W) {
    Word counter[4] = {Word(5U), Word(17U), Word(2U), Word(1U)};
    counter[coordinate] = Word::lane_numbers() + Word(at);
    const auto result = generate(counter[0], counter[1], counter[2], counter[3]);
    for (int lane = 0; lane < W; ++lane) {
      for (const auto& word : result.word) words.push_back(word[lane]);
    }
  }
  return words;
}

template <int Rounds>
Words<std::uint32_t, W> ours(Word chain, Word draw, Word index, Word purpose) {
  return philox<std::uint32_t, W, Rounds>(seed, {chain, draw, index, purpose});
}

bool suspicious(const Verdict& verdict) { return !(verdict.p > alarm && verdict.p < 1 - alarm); }

int alarms(const std::vector<Verdict>& verdicts) {
  return static_cast<int>(std::count_if(verdicts.begin(), verdicts.end(), suspicious));
}

void expect_sound(const std::vector<Verdict>& verdicts, const std::string& where) {
  for (const Verdict& verdict : verdicts)
    EXPECT_FALSE(suspicious(verdict)) << where << ": " << verdict.check << " p = " << verdict.p;
}

constexpr std::size_t word_count = std::size_t{1} << 22;
const char* coordinates[] = {"chain", "draw", "index", "purpose"};

TEST(RandomBattery, WordsAlongEveryCoordinateOfTheCounter) {
  for (int c = 0; c < 4; ++c) expect_sound(check_words(walk(ours<10>, c, word_count)), coordinates[c]);
}

TEST(RandomBattery, WordsOfNeighbouringSeeds) {
  std::vector<std::uint32_t> words;
  for (std::uint64_t s = 0; words.size() < word_count; ++s) {
    const auto result = philox<std::uint32_t, W>(s, {Word::lane_numbers(), Word(0U), Word(0U), Word(0U)});
    for (int lane = 0; lane < W; ++lane) {
      for (const auto& word : result.word) words.push_back(word[lane]);
    }
  }
  expect_sound(check_words(words), "seed");
}

TEST(RandomBattery, WordsInTheOrderAManyChainRunUsesThem) {
  std::vector<std::uint32_t> words;  // 64 chains × draws × 4 indices × 2 purposes, chains fastest
  for (std::uint32_t draw = 0; words.size() < word_count; ++draw) {
    for (std::uint32_t index = 0; index < 4; ++index) {
      for (std::uint32_t purpose = 0; purpose < 2; ++purpose) {
        for (std::uint32_t chain = 0; chain < 64; chain += W) {
          const auto result = ours<10>(Word::lane_numbers() + Word(chain), Word(draw), Word(index), Word(purpose));
          for (int lane = 0; lane < W; ++lane) {
            for (const auto& word : result.word) words.push_back(word[lane]);
          }
        }
      }
    }
  }
  expect_sound(check_words(words), "interleaved run");
}

TEST(RandomBattery, NoticesTooFewRounds) {
  for (int c = 0; c < 4; ++c) EXPECT_GT(alarms(check_words(walk(ours<2>, c, word_count))), 0) << coordinates[c];
}

TEST(RandomBattery, NoticesAForgottenCoordinate) {
  const Generator forgetful = [](Word, Word draw, Word index, Word purpose) {
    return ours<10>(Word(0U), draw, index, purpose);
  };
  EXPECT_GT(alarms(check_words(walk(forgetful, 0, word_count))), 0);
}

TEST(RandomBattery, NoticesACounterUsedTwice) {
  const Generator overlapping = [](Word chain, Word draw, Word index, Word purpose) {
    return ours<10>(chain, draw, index >> 1, purpose);
  };
  EXPECT_GT(alarms(check_words(walk(overlapping, 2, word_count))), 0);
}

/// Checks on real numbers that should be standard normal.
std::vector<Verdict> check_normals(const std::vector<double>& x) {
  const auto n = static_cast<double>(x.size());
  double m1 = 0, m2 = 0, m3 = 0, m4 = 0, lag = 0, beyond3 = 0, beyond4 = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double v = x[i], s = v * v;
    m1 += v / n, m2 += s / n, m3 += s * v / n, m4 += s * s / n;
    beyond3 += std::fabs(v) > 3 ? 1 : 0, beyond4 += std::fabs(v) > 4 ? 1 : 0;
    if (i > 0) lag += v * x[i - 1];
  }
  const double q3 = std::erfc(3 / std::sqrt(2.0)), q4 = std::erfc(4 / std::sqrt(2.0));
  return {{"mean", p_of_normal(m1 * std::sqrt(n))},
          {"second moment", p_of_normal((m2 - 1) * std::sqrt(n / 2))},
          {"third moment", p_of_normal(m3 * std::sqrt(n / 15))},
          {"fourth moment", p_of_normal((m4 - 3) * std::sqrt(n / 96))},
          {"lag one", p_of_normal(lag / std::sqrt(n - 1))},
          {"beyond 3", p_of_normal((beyond3 - n * q3) / std::sqrt(n * q3))},
          {"beyond 4", p_of_normal((beyond4 - n * q4) / std::sqrt(n * q4))},
          {"Kolmogorov distance", p_of_distance(x, [](double v) { return 0.5 * std::erfc(-v / std::sqrt(2.0)); })}};
}

enum class Law { uniform, exponential, normal };

template <class Real>
std::vector<double> numbers(Law law, std::size_t count) {
  const FlushToZero scope;
  using U = Unsigned<sizeof(Real)>;
  std::vector<double> values;
  for (U draw = 0; values.size() < count; ++draw) {
    const Stream<Real, W> stream(seed, Pack<U, W>::lane_numbers(), draw);
    const auto batch = law == Law::uniform       ? stream.uniforms(U(0), 3)
                       : law == Law::exponential ? stream.exponentials(U(0), 3)
                                                 : stream.normals(U(0), 3);
    for (int lane = 0; lane < W; ++lane) {
      for (const auto& pack : batch) values.push_back(static_cast<double>(pack[lane]));
    }
  }
  return values;
}

constexpr std::size_t number_count = std::size_t{1} << 21;

TEST(RandomBattery, Normals) {
  expect_sound(check_normals(numbers<float>(Law::normal, number_count)), "float");
  expect_sound(check_normals(numbers<double>(Law::normal, number_count)), "double");
}

TEST(RandomBattery, NoticesNormalsFourThousandthsTooWide) {
  auto values = numbers<double>(Law::normal, number_count);
  for (double& x : values) x *= 1.004;
  EXPECT_GT(alarms(check_normals(values)), 0);
}

TEST(RandomBattery, UniformsAndExponentials) {
  const auto uniform = [](double v) { return v; };
  const auto exponential = [](double v) { return -std::expm1(-v); };
  expect_sound({{"distance", p_of_distance(numbers<float>(Law::uniform, number_count), uniform)}}, "float uniform");
  expect_sound({{"distance", p_of_distance(numbers<double>(Law::uniform, number_count), uniform)}}, "double uniform");
  expect_sound({{"distance", p_of_distance(numbers<float>(Law::exponential, number_count), exponential)}}, "float");
  expect_sound({{"distance", p_of_distance(numbers<double>(Law::exponential, number_count), exponential)}}, "double");
}

TEST(RandomBattery, TheTwoNormalsOfAPairAreIndependent) {
  const auto x = numbers<double>(Law::normal, number_count);
  std::vector<std::uint32_t> cells(1024);
  for (std::size_t i = 0; i + 1 < x.size(); i += 2) {
    const auto cell = [](double v) { return std::min(31, static_cast<int>(32 * p_of_normal(v))); };
    ++cells[static_cast<std::size_t>(cell(x[i]) * 32 + cell(x[i + 1]))];
  }
  const double expected = static_cast<double>(x.size()) / 2 / 1024;
  expect_sound({{"32 × 32 cells", p_of_chi2(chi2_of_counts(cells, expected), 1023)}}, "pairs");
}

}  // namespace
