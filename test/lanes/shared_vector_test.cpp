// Shared vectors: whatever is handed on, exchanged and written, each vector has the values that copies would have.
#include "breakstep/lanes/shared_vector.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "breakstep/lanes/fields.hpp"
#include "every_width.hpp"

namespace {

using namespace breakstep::lanes;
using lanes_test::Case;
using lanes_test::for_every_real_and_width;

struct Shape {
  int dimension = 5;
  int rows = 3;
};

template <class T, int W, Storage S>
struct ShelvedState {
  SharedVector<T, W, S, 0> x, a, b;
  Vector<T, W, S> apart;
  SharedTable<T, W, S, 0> table;
  SharedVector<T, W, S, 1> other_shelf;
  SharedTable<T, W, S, 1> other_table;
  static constexpr auto rows_of_shape = [](const auto& shape) { return shape.rows; };
  static constexpr auto fields() {
    using Self = ShelvedState;
    constexpr DimensionOfShape length;
    return breakstep::lanes::fields(durable("x", &Self::x), scratch("a", &Self::a), scratch("apart", &Self::apart),
                                    scratch("b", &Self::b), scratch("table", &Self::table, length, rows_of_shape),
                                    scratch("other_shelf", &Self::other_shelf),
                                    scratch("other_table", &Self::other_table, length, rows_of_shape));
  }
};

/// What every vector should hold: one number for each of x, a, b and the table's rows, in each lane.
template <int W>
using Model = std::array<std::array<int, W>, 6>;

template <class State, int W>
void expect_equal(State& s, const Model<W>& model) {
  for (int lane = 0; lane < W; ++lane) {
    for (int i = 0; i < Shape{}.dimension; ++i) {
      EXPECT_EQ(s.x.at(lane, i), 10 * model[0][lane] + i);
      EXPECT_EQ(s.a.at(lane, i), 10 * model[1][lane] + i);
      EXPECT_EQ(s.b.at(lane, i), 10 * model[2][lane] + i);
      for (int row = 0; row < 3; ++row) EXPECT_EQ(s.table[row].at(lane, i), 10 * model[3 + row][lane] + i);
      EXPECT_EQ(s.apart.at(lane, i), -1 - i);
      EXPECT_EQ(s.other_shelf.at(lane, i), -100 - i);
    }
  }
}

template <class T, int W, Storage S>
class Walk {
 public:
  Walk() : memory_(Shape{}), s_(memory_.state()) {
    for (int lane = 0; lane < W; ++lane) {
      for (unsigned v = 0; v < 6; ++v) {
        for (int i = 0; i < Shape{}.dimension; ++i)
          vector(v).set(lane, i, static_cast<T>(10 * static_cast<int>(v) + i));
        model_[v][lane] = static_cast<int>(v);
      }
      for (int i = 0; i < Shape{}.dimension; ++i) {
        s_.apart.set(lane, i, static_cast<T>(-1 - i));
        s_.other_shelf.set(lane, i, static_cast<T>(-100 - i));
      }
    }
  }

  void step() {
    const Mask<W> where(static_cast<std::uint32_t>(engine_()));
    const unsigned to = draw(6), from = draw(6);
    switch (draw(4)) {
      case 0:
        share(where, vector(to), vector(from));
        for_each_lane(where, [&](int lane) { model_[to][lane] = model_[from][lane]; });
        break;
      case 1:
        if (to == from) break;
        exchange(where, vector(to), vector(from));
        for_each_lane(where, [&](int lane) { std::swap(model_[to][lane], model_[from][lane]); });
        break;
      case 2:
        share_to_rows(where, from % 3);
        break;
      default:
        write(where, to % 3);
    }
    expect_equal<ShelvedState<T, W, S>, W>(s_, model_);
    for (int lane = 0; lane < W; ++lane) {
      for (int row = 0; row < 3; ++row) {
        EXPECT_EQ(s_.other_table[row].at(lane, 1), other_table_[static_cast<std::size_t>(row)][lane] ? -101 : 0);
      }
    }
  }

 private:
  unsigned draw(unsigned count) { return static_cast<unsigned>(engine_()) % count; }
  SharedVector<T, W, S, 0>& vector(unsigned v) {
    return v == 0 ? s_.x : v == 1 ? s_.a : v == 2 ? s_.b : s_.table[static_cast<int>(v) - 3];
  }

  void share_to_rows(Mask<W> where, unsigned from) {
    RowOfLane<W> row;
    for (int& number : row.number) number = static_cast<int>(draw(3));
    share(where, row, s_.table, vector(from), s_.other_table, s_.other_shelf);
    for_each_lane(where, [&](int lane) {
      model_[static_cast<std::size_t>(3 + row.number[lane])][lane] = model_[from][lane];
      other_table_[static_cast<std::size_t>(row.number[lane])][lane] = true;
    });
  }

  /// Adds 10 to one of x, a and b; no other may see it.
  void write(Mask<W> where, unsigned v) {
    const auto before = vector(v);
    separate(where, vector(v), vector((v + 1) % 3), vector((v + 2) % 3), s_.table);
    sweep<0>(
        where, [](auto&, auto& now, auto old) { now = old + T(10); }, changing(vector(v)), before);
    for_each_lane(where, [&](int lane) { ++model_[v][lane]; });
  }

  std::mt19937 engine_{7};
  StateMemory<ShelvedState<T, W, S>> memory_;
  ShelvedState<T, W, S>& s_;
  Model<W> model_{};
  std::array<std::array<bool, W>, 3> other_table_{};  ///< which rows share other_shelf
};

TEST(SharedVector, HoldsWhatACopyWouldHold) {
  for_every_real_and_width([]<class T, int W>(Case<T, W>) {
    Walk<T, W, Storage::interleaved> interleaved;
    Walk<T, W, Storage::contiguous> contiguous;
    for (int k = 0; k < 200 && !testing::Test::HasFailure(); ++k) {
      interleaved.step();
      contiguous.step();
    }
  });
}

TEST(SharedVector, ContiguousStorageHandsOnWithoutCopying) {
  StateMemory<ShelvedState<float, 8, Storage::contiguous>> memory(Shape{});
  auto& s = memory.state();
  share(Mask<8>(0b10), s.a, s.x);
  EXPECT_EQ(s.a.lane_data(1), s.x.lane_data(1));
  EXPECT_NE(s.a.lane_data(0), s.x.lane_data(0));
  separate(Mask<8>::all_lanes(), s.a, s.x, s.b, s.table);
  EXPECT_NE(s.a.lane_data(1), s.x.lane_data(1));
}

TEST(SharedVector, RowsOfLanesAreVisitedOnceEach) {
  for_every_real_and_width([]<class T, int W>(Case<T, W>) {
    const auto check = []<Storage S>() {
      StateMemory<ShelvedState<T, W, S>> memory(Shape{});
      auto& s = memory.state();
      RowOfLane<W> row;
      for (int lane = 0; lane < W; ++lane) {
        row.number[lane] = (5 * lane) % 3;
        for (int r = 0; r < 3; ++r) s.table[r].set(lane, 0, static_cast<T>(100 * lane + r));
      }
      const Mask<W> where(0b1011011101111011U);
      Mask<W> seen;
      visit_rows<S>(where, row, [&](Mask<W> here, const auto& own_row) {
        EXPECT_TRUE((here & seen).none());
        seen |= here;
        Vector<T, W, S> apart = s.apart;
        assign(here, apart, row_of(s.table, own_row));
      });
      EXPECT_EQ(seen, where);
      for (int lane = 0; lane < W; ++lane) {
        EXPECT_EQ(s.apart.at(lane, 0), where[lane] ? 100 * lane + row.number[lane] : 0);
      }
    };
    check.template operator()<Storage::interleaved>();
    check.template operator()<Storage::contiguous>();
  });
}

TEST(SharedVector, AllRowsOfALaneAreVisitedFromOneDownwards) {
  for_every_real_and_width([]<class T, int W>(Case<T, W>) {
    const auto check = []<Storage S>() {
      StateMemory<ShelvedState<T, W, S>> memory(Shape{});
      auto& s = memory.state();
      RowOfLane<W> row;
      Mask<W> with_more[3];
      for (int lane = 0; lane < W; ++lane) {
        row.number[lane] = 2 - lane % 2;
        for (int more = 1; more <= row.number[lane] && lane % 3 >= more; ++more) with_more[more].set(lane);
        for (int r = 0; r < 3; ++r) s.table[r].set(lane, 0, static_cast<T>(100 * lane + r));
        s.x.set(lane, 0, static_cast<T>(lane));
      }
      const Mask<W> where(0b1011011101111011U);
      std::array<std::array<int, 3>, W> visits{};
      visit_rows_down<S>(
          where, row, [&](int more) { return more < 3 ? with_more[more] : Mask<W>(); },
          [&](Mask<W> here, const auto& at) {
            const auto sums = sweep<2>(
                here,
                [](auto& own, auto table, auto x) {
                  own[0] = own[0] + table;
                  own[1] = own[1] + x;
                },
                row_of(s.table, at), beside(s.x, at));
            for_each_lane(here, [&](int k) {
              const int lane = static_cast<int>(sums[1][k]), r = static_cast<int>(sums[0][k]) - 100 * lane;
              EXPECT_EQ(lanes_of(Mask<W>::only(k), at), Mask<W>::only(lane));
              ++visits[static_cast<std::size_t>(lane)][static_cast<std::size_t>(r)];
            });
          });
      for (int lane = 0; lane < W; ++lane) {
        for (int r = 0; r < 3; ++r) {
          const int down = row.number[lane] - r;
          const bool expected = where[lane] && down >= 0 && (down == 0 || with_more[down][lane]);
          EXPECT_EQ(visits[static_cast<std::size_t>(lane)][static_cast<std::size_t>(r)], expected ? 1 : 0);
        }
      }
    };
    check.template operator()<Storage::interleaved>();
    check.template operator()<Storage::contiguous>();
  });
}

}  // namespace
