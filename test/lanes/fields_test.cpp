// Fields and records: blend, gather, scatter, save and load, all derived from one list; equal records from every width
// and storage.
#include "breakstep/lanes/fields.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "breakstep/error.hpp"
#include "breakstep/lanes/records.hpp"
#include "every_width.hpp"

namespace {

using namespace breakstep::lanes;

struct Shape {
  int dimension;
  int depth;
};

struct DepthOfShape {
  constexpr int operator()(const Shape& shape) const { return shape.depth; }
};

/// Has one field of every kind.
template <class T, int W, Storage S>
struct ExampleState {
  Vector<T, W, S> x;
  Pack<T, W> log_density;
  Pack<Signed<sizeof(T)>, W> tries;
  Mask<W> failed;
  Table<T, W, S> history;
  Vector<T, W, S> proposal;
  Pack<T, W> threshold;

  static constexpr auto fields() {
    using Self = ExampleState;
    return breakstep::lanes::fields(durable("x", &Self::x), durable("log_density", &Self::log_density),
                                    durable("tries", &Self::tries), durable("failed", &Self::failed),
                                    durable("history", &Self::history, DimensionOfShape{}, DepthOfShape{}),
                                    scratch("proposal", &Self::proposal), scratch("threshold", &Self::threshold));
  }
};

const Shape shape{.dimension = 5, .depth = 3};

/// Fills every field of a lane with numbers that tell chain, field and coordinate.
template <class State>
void write_chain(State& state, int lane, int chain) {
  for (int i = 0; i < shape.dimension; ++i) {
    state.x.set(lane, i, static_cast<float>(1000 * chain + i));
    state.proposal.set(lane, i, static_cast<float>(-chain));
    for (int r = 0; r < shape.depth; ++r) state.history[r].set(lane, i, static_cast<float>(chain + 10 * r) + 0.25F);
  }
  state.log_density.set(lane, -static_cast<float>(chain) - 0.5F);
  state.tries.set(lane, chain * 7);
  state.failed.set(lane, chain % 2 == 1);
  state.threshold.set(lane, static_cast<float>(chain));
}

template <class State>
ChainRecords records_for(std::size_t chains, const Shape& of = shape) {
  return ChainRecords(describe_record<State>(of), record_bytes<State>(of), chains);
}

template <int W, Storage S>
std::string saved_bytes(int chains) {
  using State = ExampleState<float, W, S>;
  StateMemory<State> memory(shape);
  auto records = records_for<State>(static_cast<std::size_t>(chains));
  for (int chain = 0; chain < chains; ++chain) {
    write_chain(memory.state(), chain % W, chain);
    scatter(memory.state(), chain % W, records.record(static_cast<std::size_t>(chain)), shape);
    records.draws(static_cast<std::size_t>(chain)) = static_cast<std::uint32_t>(3 * chain);
  }
  std::ostringstream out;
  records.save(out);
  return out.str();
}

TEST(Fields, RecordsAreEqualForEveryWidthAndStorage) {
  const std::string one = saved_bytes<1, Storage::interleaved>(20);
  EXPECT_EQ(one, (saved_bytes<1, Storage::contiguous>(20)));
  EXPECT_EQ(one, (saved_bytes<8, Storage::interleaved>(20)));
  EXPECT_EQ(one, (saved_bytes<16, Storage::contiguous>(20)));
}

TEST(Fields, GatherRestoresTheDurableFieldsAndLeavesScratch) {
  using State = ExampleState<float, 8, Storage::contiguous>;
  StateMemory<State> memory(shape);
  auto records = records_for<State>(3);
  for (int chain = 0; chain < 3; ++chain) {
    write_chain(memory.state(), 2, chain);
    scatter(memory.state(), 2, records.record(static_cast<std::size_t>(chain)), shape);
  }
  State& state = memory.state();
  write_chain(state, 6, 77);
  gather(state, 6, records.record(1), shape);
  EXPECT_EQ(state.x.at(6, 4), 1004.0F);
  EXPECT_EQ(state.log_density[6], -1.5F);
  EXPECT_EQ(state.tries[6], 7);
  EXPECT_TRUE(state.failed[6]);
  EXPECT_EQ(state.history[2].at(6, 0), 21.25F);
  EXPECT_EQ(state.proposal.at(6, 0), -77.0F);  // scratch
  EXPECT_EQ(state.x.at(2, 0), 2000.0F);        // another lane
}

TEST(Fields, BlendTakesEveryFieldOfTheLanesMeantAndNoOther) {
  using State = ExampleState<double, 4, Storage::interleaved>;
  StateMemory<State> a(shape), b(shape);
  for (int lane = 0; lane < 4; ++lane) {
    write_chain(a.state(), lane, lane);
    write_chain(b.state(), lane, lane + 101);
  }
  blend(Mask<4>(0b0101), a.state(), b.state());
  for (int lane = 0; lane < 4; ++lane) {
    const int chain = lane % 2 == 0 ? lane + 101 : lane;
    EXPECT_EQ(a.state().x.at(lane, 3), 1000 * chain + 3);
    EXPECT_EQ(a.state().proposal.at(lane, 0), -chain);
    EXPECT_EQ(a.state().threshold[lane], chain);
    EXPECT_EQ(a.state().tries[lane], chain * 7);
    EXPECT_EQ(a.state().failed[lane], chain % 2 == 1);
    EXPECT_EQ(a.state().history[1].at(lane, 2), chain + 10.25);
  }
}

TEST(Fields, SaveAndLoadRoundTrip) {
  using State = ExampleState<float, 4, Storage::interleaved>;
  const std::string bytes = saved_bytes<8, Storage::contiguous>(5);
  auto records = records_for<State>(5);
  std::istringstream in(bytes);
  records.load(in);
  std::ostringstream again;
  records.save(again);
  EXPECT_EQ(again.str(), bytes);
  EXPECT_EQ(records.draws(4), 12U);
}

TEST(Fields, NaNsAreStoredInOneForm) {
  using State = ExampleState<float, 2, Storage::interleaved>;
  StateMemory<State> memory(shape);
  auto a = records_for<State>(1), b = records_for<State>(1);
  memory.state().log_density = Pack<float, 2>(std::nanf("1"));
  scatter(memory.state(), 0, a.record(0), shape);
  memory.state().log_density = Pack<float, 2>(-std::nanf("2"));
  scatter(memory.state(), 0, b.record(0), shape);
  EXPECT_EQ(std::memcmp(a.record(0), b.record(0), a.bytes_per_chain()), 0);
}

TEST(Fields, LoadRefusesWhatIsNotWholeOrNotOurs) {
  using State = ExampleState<float, 4, Storage::interleaved>;
  const std::string bytes = saved_bytes<4, Storage::interleaved>(3);
  const auto message = [&](const std::string& data, const Shape& wanted, std::size_t chains) -> std::string {
    auto records = records_for<State>(chains, wanted);
    std::istringstream in(data);
    try {
      records.load(in);
    } catch (const breakstep::Error& error) {
      return error.what();
    }
    return "loaded";
  };
  EXPECT_EQ(message(bytes, shape, 3), "loaded");
  EXPECT_NE(message(bytes.substr(0, bytes.size() - 9), shape, 3).find("cut short"), std::string::npos);
  EXPECT_NE(message("", shape, 3).find("another kind"), std::string::npos);
  EXPECT_NE(message(bytes, {.dimension = 6, .depth = 3}, 3).find("x:f4[6]"), std::string::npos);
  EXPECT_NE(message(bytes, shape, 4).find("3 chains where 4 are needed"), std::string::npos);
  for (std::size_t at = 120; at < bytes.size(); at += 13) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    EXPECT_NE(message(damaged, shape, 3), "loaded") << "byte " << at;
  }
}

TEST(Fields, MemoryPerChainIsWhatTheListSays) {
  using State = ExampleState<float, 8, Storage::interleaved>;
  EXPECT_EQ(record_bytes<State>(shape), 5U * 4 + 4 + 4 + 1 + 3 * 5 * 4);
}

}  // namespace
