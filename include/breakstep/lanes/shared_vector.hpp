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
      : rows_(typename Rows::Element(1) << row), shelf_(shelf), stride_(padded(length)), length_(length) {
    assert(row < most_rows);
  }

  [[nodiscard]] int length() const { return length_; }
  [[nodiscard]] T at(int lane, int i) const { return lane_data(lane)[i]; }
  void set(int lane, int i, T value) const { lane_data(lane)[i] = value; }
  [[nodiscard]] BREAKSTEP_INLINE T* lane_data(int lane) const {
    const std::ptrdiff_t row = std::countr_zero(rows_[lane]);
    return shelf_ + (row * W + lane) * stride_;
  }

  /// The row of each lane, as a number with one bit.
  [[nodiscard]] BREAKSTEP_INLINE const Rows& rows() const { return rows_; }
  BREAKSTEP_INLINE void set_rows(const Rows& rows) { rows_ = rows; }
  BREAKSTEP_INLINE void set_row(int lane, typename Rows::Element row) { rows_.set(lane, row); }

 private:
  Rows rows_{};
  T* shelf_ = nullptr;
  std::ptrdiff_t stride_ = 0;
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
    dst.set_rows(merge(where, src.rows(), dst.rows()));
  } else {
    assign(where, dst, src);
  }
}

/// Exchanges the values of two vectors for the chains of `where`.
template <class T, int W, Storage S, int Shelf>
BREAKSTEP_INLINE void exchange(Mask<W> where, SharedVector<T, W, S, Shelf>& a, SharedVector<T, W, S, Shelf>& b) {
  if constexpr (S == Storage::contiguous) {
    const auto rows = a.rows();
    a.set_rows(merge(where, b.rows(), rows));
    b.set_rows(merge(where, rows, b.rows()));
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

/// The rows of a table that several lanes stand at, as one vector that can be swept. Contiguous storage only.
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

/// Row `row` of a table, a Table or SharedTable, for the lanes of `where`.
template <int W, class Rows>
BREAKSTEP_INLINE auto row_of(Mask<W>, const Rows& table, OneRowNumber row) {
  return table[row.number];
}
template <int W, class Rows>
BREAKSTEP_INLINE auto row_of(Mask<W> where, const Rows& table, const RowOfLane<W>& row) {
  GatheredVector<typename Rows::Real, W> gathered;
  gathered.size = table.length();
  for_each_lane(where, [&](int lane) { gathered.lanes[lane] = table[row.number[lane]].lane_data(lane); });
  return gathered;
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

/// Each lane's row of the table has the values of src, as share().
template <class T, int W, Storage S, int Shelf>
BREAKSTEP_INLINE void share(Mask<W> where, SharedTable<T, W, S, Shelf>& table, const RowOfLane<W>& row,
                            const SharedVector<T, W, S, Shelf>& src) {
  if constexpr (S == Storage::contiguous) {
    for_each_lane(where, [&](int lane) { table[row.number[lane]].set_row(lane, src.rows()[lane]); });
  } else {
    visit_rows<S>(where, row, [&](Mask<W> here, OneRowNumber one) { assign(here, table[one.number], src); });
  }
}

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
