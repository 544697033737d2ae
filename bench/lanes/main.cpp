// Checks every contestant's answers, then times exp, log, sincos, random words and normals in float and double on one
// core.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "breakstep/abi.hpp"
#include "contestants.hpp"
#include "cores.hpp"
#include "table.hpp"

namespace {

using bench::Contestant;
using bench::Entries;

constexpr std::size_t count = 1024;  // input and both outputs stay in the first-level cache

[[noreturn]] void wrong_answer(const std::string& contestant, const std::string& question, double x, double got) {
  std::fprintf(stderr, "bench_lanes: %s gives a wrong %s: %.17g at %.17g\n", contestant.c_str(), question.c_str(), got,
               x);
  std::exit(1);
}

template <class T>
std::vector<T> inputs(const std::string& question) {
  std::vector<T> x(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double unit = (static_cast<double>(i) + 0.5) / count;
    x[i] = static_cast<T>(question == "exp"   ? 40 * unit - 30
                          : question == "log" ? std::exp(40 * unit - 20)
                                              : 20 * unit - 10);
  }
  return x;
}

/// Stops the run if an answer is off by more than 4 ulp (relative, as libm's long double sees it).
template <class T>
void check(const bench::ArrayFunction<T>& f, const std::vector<T>& x) {
  std::vector<T> y(count), second(count);
  f.run(x.data(), y.data(), second.data(), count);
  const long double tolerance = sizeof(T) == 4 ? 4 * 0x1p-23L : 4 * 0x1p-52L;
  for (std::size_t i = 0; i < count; ++i) {
    const long double v = x[i];
    const long double right = f.question == "exp" ? expl(v) : f.question == "log" ? logl(v) : sinl(v);
    if (!(fabsl(y[i] - right) <= tolerance * fabsl(right))) wrong_answer(f.contestant, f.question, x[i], y[i]);
    if (f.question == "sincos" && !(fabsl(second[i] - cosl(v)) <= tolerance * fabsl(cosl(v)))) {
      wrong_answer(f.contestant, "cosine", x[i], second[i]);
    }
  }
}

template <class T>
void time_functions(const std::vector<bench::ArrayFunction<T>>& functions, const char* type,
                    const bench::Effort& effort) {
  for (const char* question : {"exp", "log", "sincos"}) {
    const auto x = inputs<T>(question);
    std::vector<T> y(count), second(count);
    std::vector<Contestant> contestants;
    for (const auto& f : functions) {
      if (f.question != question) continue;
      check(f, x);
      contestants.push_back(
          {f.contestant, double(count), [&, run = f.run] { run(x.data(), y.data(), second.data(), count); }});
    }
    bench::print_table(std::string(question) + ", " + type, contestants, effort);
  }
}

void time_words(const std::vector<bench::WordSource>& sources, const bench::Effort& effort) {
  std::vector<std::uint32_t> words(4 * count), reference;
  std::vector<Contestant> contestants;
  for (const auto& source : sources) {
    source.run(words.data(), words.size());
    if (source.is_philox && reference.empty()) reference = words;
    if (source.is_philox && words != reference) wrong_answer(source.contestant, "Philox word", 0, words[0]);
    contestants.push_back(
        {source.contestant, double(words.size()), [&, run = source.run] { run(words.data(), words.size()); }});
  }
  bench::print_table("random 32-bit words", contestants, effort);
}

template <class T>
void time_normals(const std::vector<bench::NormalSource<T>>& sources, const char* type, const bench::Effort& effort) {
  std::vector<T> normals(4 * count);
  std::vector<Contestant> contestants;
  for (const auto& source : sources) {
    source.run(normals.data(), normals.size());
    double square = 0;
    for (const T x : normals)
      square += static_cast<double>(x) * static_cast<double>(x) / static_cast<double>(normals.size());
    if (!(std::fabs(square - 1) < 0.15)) wrong_answer(source.contestant, "variance of normals", 0, square);
    contestants.push_back(
        {source.contestant, double(normals.size()), [&, run = source.run] { run(normals.data(), normals.size()); }});
  }
  bench::print_table(std::string("normals, ") + type, contestants, effort);
}

template <class List>
void append(List& to, const List& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

int main(int argc, char** argv) {
  bench::stay_on_one_core(true);
  const bench::Effort effort = bench::effort_from(argc, argv);
  Entries all;
  for (const Entries& entries : {bench::breakstep_entries(), bench::xsimd_entries(), bench::sleef_entries(),
                                 bench::libm_entries(), bench::random123_entries()}) {
    append(all.float_functions, entries.float_functions);
    append(all.double_functions, entries.double_functions);
    append(all.words, entries.words);
    append(all.float_normals, entries.float_normals);
    append(all.double_normals, entries.double_normals);
  }
  std::printf("One core, %s; median of %d interleaved rounds of %.2f s (slowest to fastest).\n",
              BREAKSTEP_ISA_AVX512 ? "AVX-512" : "AVX2", effort.rounds, effort.seconds_per_round);
  time_functions(all.float_functions, "float", effort);
  time_functions(all.double_functions, "double", effort);
  time_words(all.words, effort);
  time_normals(all.float_normals, "float", effort);
  time_normals(all.double_normals, "double", effort);
}
