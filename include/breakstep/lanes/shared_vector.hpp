// SharedVector: vectors of one shelf, which hand their values on to each other without copying where the storage
// allows it.
//
// contiguous:  the values of a chain lie in rows of the shelf, and a vector knows for each lane which row is meant.
//              Several vectors may mean the same one, so values are handed on by changing a number.
// interleaved: lanes cannot mean different rows; every vector has memory of its own, and handing on is copying.
//
// One source serves both: share() hands on, and whoever writes a vector calls separate() first.
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <utility>

#include "breakstep/lanes/vector.hpp"

namespace breakstep::inline BREAKSTEP_ABI::lanes {

/// A view of W chains' vectors; `Shelf` numbers the shelf within a state, and vectors of one shelf have one length. A
/// shelf has as many rows as vectors, so there is always one to spare for a vector that must not share.
template <class T, int W, Storage S, int Shelf>
class SharedVector : public Vector<T, W, S> {
 public:
  SharedVector() = default;
  SharedVector(T* shelf, int row, int length)
      : Vector<T, W, S>(shelf + static_cast<std::size_t>(row) * Vector<T, W, S>::elements(length), length) {}
};

template <class T, int W, int Shelf>
class SharedVector<T, W, Storage::contiguous, Shelf> {
 public:
  using Real = T;
  using Rows = Pack<Unsigned<sizeof(T)>, W>;
  static constexpr int width = W;
  static constexpr Storage storage = Storage::contiguous;
  static constexpr int most_rows = 8 * sizeof(T);

  SharedVector() = default;
  SharedVector(T* shelf, int row, int length)
      : rows_(typename Rows::Element(1) << row),
        shelf_(shelf),
        groups_(padded(length) / accumulators),
        length_(length) {
    assert(row < most_rows);
    find_rows();
  }

  [[nodiscard]] int length() const { return length_; }
  [[nodiscard]] T at(int lane, int i) const { return lane_data(lane)[i]; }
  void set(int lane, int i, T value) const { lane_data(lane)[i] = value; }
  [[nodiscard]] BREAKSTEP_INLINE T* lane_data(int lane) const {
    return shelf_ + static_cast<std::ptrdiff_t>(begins_[lane]) * accumulators;
  }

  /// The row of each lane, as a number with one bit.
  [[nodiscard]] BREAKSTEP_INLINE const Rows& rows() const { return rows_; }
  BREAKSTEP_INLINE void set_rows(const Rows& rows) {
    rows_ = rows;
    find_rows();
  }
  /// Means the same rows as `other`, a vector of the same shelf.
  BREAKSTEP_INLINE void take_rows(Mask<W> where, const SharedVector& other) {
    rows_ = merge(where, other.rows_, rows_);
    begins_ = merge(where, other.begins_, begins_);
  }
  BREAKSTEP_INLINE void take_row(int lane, const SharedVector& other) {
    rows_.set(lane, other.rows_[lane]);
    begins_.set(lane, other.begins_[lane]);
  }

 private:
  using Begins = Pack<Signed<sizeof(T)>, W>;

  BREAKSTEP_INLINE void find_rows() {
    alignas(native_bytes) typename Rows::Element rows[W];
    alignas(native_bytes) typename Begins::Element begins[W];
    rows_.store(rows);
    for (int lane = 0; lane < W; ++lane) {
      begins[lane] = ((most_rows - 1 - std::countl_zero(rows[lane])) * W + lane) * groups_;
    }
    begins_ = Begins::load(begins);
  }

  Rows rows_{};
  Begins
      begins_{};  ///< where each lane's row begins on the shelf, in groups of coordinates: often needed, seldom changed
  T* shelf_ = nullptr;
  typename Begins::Element groups_ = 0;  ///< of a vector
  int length_ = 0;
};

/// Several shared vectors under one name.
template <class T, int W, Storage S, int Shelf>
class SharedTable {
 public:
  using Real = T;
  using Row = SharedVector<T, W, S, Shelf>;
  static constexpr int most_rows = 30;

  SharedTable() = default;
  SharedTable(T* shelf, int first_row, int rows, int length) : count_(rows) {
    assert(rows <= most_rows);
    for (int row = 0; row < rows; ++row) vectors_[row] = Row(shelf, first_row + row, length);
  }

  [[nodiscard]] int rows() const { return count_; }
  [[nodiscard]] int length() const { return vectors_[0].length(); }
  [[nodiscard]] Row& operator[](int row) {
    assert(row >= 0 && row < count_);
    return vectors_[row];
  }
  [[nodiscard]] const Row& operator[](int row) const {
    assert(row >= 0 && row < count_);
    return vectors_[row];
  }

 private:
  std::array<Row, most_rows> vectors_;
  int count_ = 0;
};

namespace detail {

template <class T, int W, int Shelf>
BREAKSTEP_INLINE auto rows_in_use(const SharedVector<T, W, Storage::contiguous, Shelf>& vector) {
  return vector.rows();
}
template <class T, int W, int Shelf>
BREAKSTEP_INLINE auto rows_in_use(const SharedTable<T, W, Storage::contiguous, Shelf>& table) {
  auto rows = table[0].rows();
  for (int row = 1; row < table.rows(); ++row) rows = rows | table[row].rows();
  return rows;
}

}  // namespace detail

/// dst has the values of src, for the chains of `where`, as long as neither is written.
template <class T, int W, Storage S, int Shelf>
BREAKSTEP_INLINE void share(Mask<W> where, SharedVector<T, W, S, Shelf>& dst, const SharedVector<T, W, S, Shelf>& src) {
  if constexpr (S == Storage::contiguous) {
    dst.take_rows(where, src);
  } else {
    assign(where, dst, src);
  }
}

/// Exchanges the values of two vectors for the chains of `where`.
template <class T, int W, Storage S, int Shelf>
BREAKSTEP_INLINE void exchange(Mask<W> where, SharedVector<T, W, S, Shelf>& a, SharedVector<T, W, S, Shelf>& b) {
  if constexpr (S == Storage::contiguous) {
    const auto before = a;
    a.take_rows(where, b);
    b.take_rows(where, before);
  } else {
    swap(where, a, b);
  }
}

/// After it `vector` may be written, for the chains of `where`, without changing any of `others`: all vectors and
/// tables of the shelf whose values are still needed. What it holds is then anything; a copy of the vector made before
/// still shows its values while others are written.
template <class T, int W, Storage S, int Shelf, class... Others>
BREAKSTEP_INLINE void separate(Mask<W> where, SharedVector<T, W, S, Shelf>& vector, const Others&... others) {
  if constexpr (S == Storage::contiguous) {
    using Rows = typename SharedVector<T, W, S, Shelf>::Rows;
    using U = typename Rows::Element;
    const Rows used = (detail::rows_in_use(others) | ...);
    const Rows first_free = ~used & (used + Rows(U(1)));
    const auto is_shared = (vector.rows() & used) != Rows(U(0));
    vector.set_rows(merge(is_shared & Truth<sizeof(T), W>(where), first_free, vector.rows()));
  }
}

/// One row of a table for each lane.
template <int W>
struct RowOfLane {
  std::array<int, W> number;
  [[nodiscard]] BREAKSTEP_INLINE RowOfLane next() const {
    RowOfLane rows = *this;
    for (int& row : rows.number) ++row;
    return rows;
  }
};
/// The same row for all lanes that are meant.
struct OneRowNumber {
  int number;
  [[nodiscard]] OneRowNumber next() const { return {number + 1}; }
};

/// The vectors of W chains, wherever they lie. Contiguous storage only.
template <class T, int W>
struct GatheredVector {
  using Real = T;
  static constexpr int width = W;
  static constexpr Storage storage = Storage::contiguous;
  std::array<T*, W> lanes;
  int size;
  [[nodiscard]] BREAKSTEP_INLINE T* lane_data(int lane) const { return lanes[lane]; }
  [[nodiscard]] int length() const { return size; }
};

/// The same, each looked up when a sweep comes to it: find(lane). A loop that gathers them first would end at another
/// lane each time, which the processor cannot foresee.
template <class T, int W, class Find>
struct FoundVector {
  using Real = T;
  static constexpr int width = W;
  static constexpr Storage storage = Storage::contiguous;
  Find find;
  int size;
  [[nodiscard]] BREAKSTEP_INLINE T* lane_data(int lane) const { return find(lane); }
  [[nodiscard]] int length() const { return size; }
};
template <class T, int W, class Find>
BREAKSTEP_INLINE FoundVector<T, W, Find> found_vector(int length, Find find) {
  return {find, length};
}

/// Up to W pairs of a lane and one of its rows, which take the lanes' places in a sweep: pair k that of lane k.
template <int W>
struct PairsOfLanesAndRows {
  std::array<int, W> lane, row;
};

/// Row `row` of a table, a Table or SharedTable, for the lanes (or pairs) that are visited with it. It refers to the
/// table and the rows.
template <class Rows>
BREAKSTEP_INLINE auto row_of(const Rows& table, OneRowNumber row) {
  return table[row.number];
}
template <class Rows, int W>
BREAKSTEP_INLINE auto row_of(const Rows& table, const RowOfLane<W>& row) {
  return found_vector<typename Rows::Real, W>(table.length(), [&table, &row](int lane) BREAKSTEP_INLINE_LAMBDA {
    return table[row.number[lane]].lane_data(lane);
  });
}
template <class Rows, int W>
auto row_of(const Rows& table, const RowOfLane<W>&& row) = delete;
template <class Rows, int W>
BREAKSTEP_INLINE auto row_of(const Rows& table, const PairsOfLanesAndRows<W>& pairs) {
  return found_vector<typename Rows::Real, W>(table.length(), [&table, &pairs](int k) BREAKSTEP_INLINE_LAMBDA {
    return table[pairs.row[k]].lane_data(pairs.lane[k]);
  });
}

/// A vector for the lanes (or pairs) that are visited with a row.
template <AnyVector V>
BREAKSTEP_INLINE const V& beside(const V& vector, OneRowNumber) {
  return vector;
}
template <AnyVector V, int W>
BREAKSTEP_INLINE auto beside(const V& vector, const PairsOfLanesAndRows<W>& pairs) {
  return found_vector<typename V::Real, W>(
      vector.length(), [&vector, &pairs](int k) BREAKSTEP_INLINE_LAMBDA { return vector.lane_data(pairs.lane[k]); });
}

/// The lanes that were visited as `found`.
template <int W>
BREAKSTEP_INLINE Mask<W> lanes_of(Mask<W> found, OneRowNumber) {
  return found;
}
template <int W>
BREAKSTEP_INLINE Mask<W> lanes_of(Mask<W> found, const PairsOfLanesAndRows<W>& pairs) {
  Mask<W> lanes;
  for_each_lane(found, [&](int k) { lanes.set(pairs.lane[k]); });
  return lanes;
}

/// Calls visit(lanes, row) until every lane of `where` has been visited with its row: once in contiguous storage, where
/// each lane's vectors lie apart, and once for every row in interleaved.
template <Storage S, int W, class Visit>
BREAKSTEP_INLINE void visit_rows(Mask<W> where, const RowOfLane<W>& row, Visit&& visit) {
  if constexpr (S == Storage::contiguous) {
    visit(where, row);
  } else {
    for (Mask<W> left = where; left.any();) {
      const int number = row.number[std::countr_zero(left.bits())];
      Mask<W> here;
      for (int lane = 0; lane < W; ++lane) here.set(lane, row.number[lane] == number);
      visit(left & here, OneRowNumber{number});
      left &= ~here;
    }
  }
}

/// Calls visit(where, rows) until every lane of `where` has been visited with all of its rows, from `row` downwards;
/// the lanes of with_more(k) have k rows besides. In contiguous storage pairs of lanes and rows are visited, up to W at
/// a time, in interleaved all lanes that are at one row.
template <Storage S, int W, class WithMore, class Visit>
BREAKSTEP_INLINE void visit_rows_down(Mask<W> where, RowOfLane<W> row, WithMore with_more, Visit&& visit) {
  if constexpr (S == Storage::contiguous) {
    PairsOfLanesAndRows<W> pairs;
    int count = 0, down = 0;
    for (Mask<W> left = where; left.any(); left &= with_more(++down)) {
      for_each_lane(left, [&](int lane) {
        if (count == W) {
          visit(Mask<W>::all_lanes(), std::as_const(pairs));
          count = 0;
        }
        pairs.lane[count] = lane;
        pairs.row[count++] = row.number[lane] - down;
      });
    }
    if (count > 0) visit(Mask<W>::first_lanes(count), std::as_const(pairs));
  } else {
    int down = 0;
    for (Mask<W> left = where; left.any(); left &= with_more(++down)) {
      visit_rows<S>(left, row, visit);
      for (int& number : row.number) --number;
    }
  }
}

/// Each lane's row of two tables has the values of their sources, as share().
template <class T, int W, Storage S, int Shelf, int OtherShelf>
BREAKSTEP_INLINE void share(Mask<W> where, const RowOfLane<W>& row, SharedTable<T, W, S, Shelf>& table,
                            const SharedVector<T, W, S, Shelf>& src, SharedTable<T, W, S, OtherShelf>& other,
                            const SharedVector<T, W, S, OtherShelf>& other_src) {
  if constexpr (S == Storage::contiguous) {
    for_each_lane(where, [&](int lane) {
      table[row.number[lane]].take_row(lane, src);
      other[row.number[lane]].take_row(lane, other_src);
    });
  } else {
    visit_rows<S>(where, row, [&](Mask<W> here, OneRowNumber one) {
      assign(here, table[one.number], src);
      assign(here, other[one.number], other_src);
    });
  }
}

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
