// One list of fields per state, from which blend, gather, scatter, save and load derive: nobody writes them per
// sampler.
//
// A state is a struct of packs, masks, vectors and tables with
//
//     static constexpr auto fields() {
//       return lanes::fields(lanes::durable("x", &State::x), lanes::durable("log_density", &State::log_density),
//                            lanes::scratch("proposal", &State::proposal));
//     }
//
// durable: lives across draws; kept per chain and saved.   scratch: lives within one draw; owned by lanes at work only.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "breakstep/lanes/memory.hpp"
#include "breakstep/lanes/shared_vector.hpp"

namespace breakstep::inline BREAKSTEP_ABI::lanes {

enum class Lifetime { durable, scratch };

/// The usual sizes of a vector or table field: shape.dimension, one row.
struct DimensionOfShape {
  template <class Shape>
  constexpr int operator()(const Shape& shape) const {
    return shape.dimension;
  }
};

/// One member of a state: its name in files and messages, how long it lives, and for vectors and tables how long they
/// are.
template <class State, class Type, class Length, class Rows>
struct Field {
  using Value = Type;
  const char* name;
  Type State::*member;
  Lifetime lifetime;
  Length length;  ///< shape → coordinates of a vector or of a table's row
  Rows rows;      ///< shape → rows of a table
};

struct OneRow {
  template <class Shape>
  constexpr int operator()(const Shape&) const {
    return 1;
  }
};

template <class State, class Type, class Length = DimensionOfShape, class Rows = OneRow>
constexpr auto durable(const char* name, Type State::*member, Length length = {}, Rows rows = {}) {
  return Field<State, Type, Length, Rows>{name, member, Lifetime::durable, length, rows};
}
template <class State, class Type, class Length = DimensionOfShape, class Rows = OneRow>
constexpr auto scratch(const char* name, Type State::*member, Length length = {}, Rows rows = {}) {
  return Field<State, Type, Length, Rows>{name, member, Lifetime::scratch, length, rows};
}
template <class... Fields>
constexpr auto fields(Fields... list) {
  return std::tuple<Fields...>(list...);
}

/// A struct whose members are listed by a static `fields()`.
template <class State>
concept HasFields = requires {
  std::tuple_size<decltype(State::fields())>::value;
};

/// Calls visit(field) for each field, in the order of the list.
template <HasFields State, class Visit>
BREAKSTEP_INLINE void for_each_field(Visit&& visit) {
  static constexpr auto list = State::fields();  // once, and not at every visit
  std::apply([&](const auto&... field) { (visit(field), ...); }, list);
}
template <HasFields State, class Visit>
BREAKSTEP_INLINE void for_each_durable(Visit&& visit) {
  for_each_field<State>([&](const auto& field) {
    if (field.lifetime == Lifetime::durable) visit(field);
  });
}

namespace detail {

template <class T>
T canonical(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (value != value) return std::numeric_limits<T>::quiet_NaN();  // a NaN's payload depends on who computed it
  }
  return value;
}

// What a field type must offer. One chain's share of a field is a run of elements of type `Element`.
template <class Type>
struct FieldAccess;

template <class T, int W>
struct FieldAccess<Pack<T, W>> {
  using Element = T;
  static constexpr char kind = std::is_floating_point_v<T> ? 'f' : std::is_signed_v<T> ? 'i' : 'u';
  static constexpr std::size_t view_elements(int, int) { return 0; }  // lives in the struct itself
  static constexpr int chain_elements(int, int) { return 1; }
  static void bind(Pack<T, W>& value, T*, int, int) { value = Pack<T, W>(T(0)); }
  static T get(const Pack<T, W>& value, int lane, int) { return value[lane]; }
  static void set(Pack<T, W>& value, int lane, int, T element) { value.set(lane, element); }
  static void blend(Mask<W> where, Pack<T, W>& dst, const Pack<T, W>& src) { assign(where, dst, src); }
};

template <int W>
struct FieldAccess<Mask<W>> {
  using Element = std::uint8_t;
  static constexpr char kind = 'b';
  static constexpr std::size_t view_elements(int, int) { return 0; }
  static constexpr int chain_elements(int, int) { return 1; }
  static void bind(Mask<W>& value, std::uint8_t*, int, int) { value = Mask<W>(); }
  static std::uint8_t get(const Mask<W>& value, int lane, int) { return value[lane] ? 1 : 0; }
  static void set(Mask<W>& value, int lane, int, std::uint8_t element) { value.set(lane, element != 0); }
  static void blend(Mask<W> where, Mask<W>& dst, const Mask<W>& src) { dst = (dst & ~where) | (src & where); }
};

template <class T, int W, Storage S>
struct FieldAccess<Vector<T, W, S>> {
  using Element = T;
  using View = Vector<T, W, S>;
  static constexpr char kind = 'f';
  static constexpr std::size_t view_elements(int, int length) { return View::elements(length); }
  static constexpr int chain_elements(int, int length) { return length; }
  static void bind(View& view, T* memory, int, int length) { view = View(memory, length); }
  static T get(const View& view, int lane, int i) { return view.at(lane, i); }
  static void set(const View& view, int lane, int i, T element) { view.set(lane, i, element); }
  static void blend(Mask<W> where, const View& dst, const View& src) { assign(where, dst, src); }
};

template <class T, int W, Storage S>
struct FieldAccess<Table<T, W, S>> {
  using Element = T;
  using View = Table<T, W, S>;
  static constexpr char kind = 'f';
  static constexpr std::size_t view_elements(int rows, int length) { return View::elements(rows, length); }
  static constexpr int chain_elements(int rows, int length) { return rows * length; }
  static void bind(View& view, T* memory, int rows, int length) { view = View(memory, rows, length); }
  static T get(const View& view, int lane, int i) { return view[i / view.length()].at(lane, i % view.length()); }
  static void set(const View& view, int lane, int i, T element) {
    view[i / view.length()].set(lane, i % view.length(), element);
  }
  static void blend(Mask<W> where, const View& dst, const View& src) {
    for (int row = 0; row < dst.rows(); ++row) assign(where, dst[row], src[row]);
  }
};

// Vectors and tables of a shelf get rows of its memory, and have no blend: a row may have several owners.
template <class T, int W, Storage S, int Shelf>
struct FieldAccess<SharedVector<T, W, S, Shelf>> {
  using Element = T;
  using View = SharedVector<T, W, S, Shelf>;
  static constexpr char kind = 'f';
  static constexpr int shelf = Shelf;
  static constexpr int rows_of_shelf(int) { return 1; }
  static constexpr std::size_t row_elements(int length) { return Vector<T, W, S>::elements(length); }
  static constexpr int chain_elements(int, int length) { return length; }
  static void bind(View& view, T* memory, int first_row, int, int length) { view = View(memory, first_row, length); }
  static T get(const View& view, int lane, int i) { return view.at(lane, i); }
  static void set(const View& view, int lane, int i, T element) { view.set(lane, i, element); }
};

template <class T, int W, Storage S, int Shelf>
struct FieldAccess<SharedTable<T, W, S, Shelf>> {
  using Element = T;
  using View = SharedTable<T, W, S, Shelf>;
  static constexpr char kind = 'f';
  static constexpr int shelf = Shelf;
  static constexpr int rows_of_shelf(int rows) { return rows; }
  static constexpr std::size_t row_elements(int length) { return Vector<T, W, S>::elements(length); }
  static constexpr int chain_elements(int rows, int length) { return rows * length; }
  static void bind(View& view, T* memory, int first_row, int rows, int length) {
    view = View(memory, first_row, rows, length);
  }
  static T get(const View& view, int lane, int i) { return view[i / view.length()].at(lane, i % view.length()); }
  static void set(const View& view, int lane, int i, T element) {
    view[i / view.length()].set(lane, i % view.length(), element);
  }
};

template <class Access>
concept OnAShelf = requires {
  Access::shelf;
};

template <class Field>
using AccessOf = FieldAccess<typename std::remove_cvref_t<Field>::Value>;

}  // namespace detail

/// A state of W lanes together with the memory its vectors and tables point into, all zero at first.
template <HasFields State>
class StateMemory {
 public:
  template <class Shape>
  explicit StateMemory(const Shape& shape) {
    struct Shelf {
      int rows = 0, next_row = 0;
      std::byte* memory = nullptr;
    };
    std::array<Shelf, most_shelves> shelves;
    for_each_field<State>([&](const auto& field) {
      using Access = detail::AccessOf<decltype(field)>;
      if constexpr (detail::OnAShelf<Access>) shelves[Access::shelf].rows += Access::rows_of_shelf(field.rows(shape));
    });
    for_each_field<State>([&](const auto& field) {
      using Access = detail::AccessOf<decltype(field)>;
      using Element = typename Access::Element;
      const int rows = field.rows(shape);
      const int length = field.length(shape);
      if constexpr (detail::OnAShelf<Access>) {
        static_assert(Access::shelf < most_shelves);
        Shelf& shelf = shelves[Access::shelf];
        if (shelf.memory == nullptr) {
          shelf.memory = take(Access::row_elements(length) * static_cast<std::size_t>(shelf.rows) * sizeof(Element));
        }
        Access::bind(state_.*field.member, reinterpret_cast<Element*>(shelf.memory), shelf.next_row, rows, length);
        shelf.next_row += Access::rows_of_shelf(rows);
      } else {
        std::byte* memory = take(Access::view_elements(rows, length) * sizeof(Element));
        Access::bind(state_.*field.member, reinterpret_cast<Element*>(memory), rows, length);
      }
    });
  }

  [[nodiscard]] State& state() { return state_; }
  [[nodiscard]] const State& state() const { return state_; }
  /// Bytes behind the vectors and tables, for the account of memory per lane.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  static constexpr int most_shelves = 8;

  std::byte* take(std::size_t bytes) {
    if (bytes == 0) return nullptr;
    blocks_.push_back(aligned_zeros<std::byte>(bytes));
    bytes_ += bytes;
    return blocks_.back().get();
  }

  State state_;
  std::vector<AlignedArray<std::byte>> blocks_;
  std::size_t bytes_ = 0;
};

/// dst = src for the lanes of `where`, in every field. Of states without shelves.
template <HasFields State, int W>
void blend(Mask<W> where, State& dst, const State& src) {
  for_each_field<State>([&](const auto& field) {
    detail::AccessOf<decltype(field)>::blend(where, dst.*field.member, src.*field.member);
  });
}

/// Bytes of one chain's durable fields. The same for every width and storage.
template <HasFields State, class Shape>
std::size_t record_bytes(const Shape& shape) {
  std::size_t bytes = 0;
  for_each_durable<State>([&](const auto& field) {
    using Access = detail::AccessOf<decltype(field)>;
    bytes += sizeof(typename Access::Element) *
             static_cast<std::size_t>(Access::chain_elements(field.rows(shape), field.length(shape)));
  });
  return bytes;
}

namespace detail {

/// Calls visit(access, field, i) for each element of each durable field, in the order of the record.
template <HasFields State, class Shape, class Visit>
BREAKSTEP_INLINE void visit_record(const Shape& shape, Visit&& visit) {
  for_each_durable<State>([&](const auto& field) {
    using Access = AccessOf<decltype(field)>;
    const int elements = Access::chain_elements(field.rows(shape), field.length(shape));
    for (int i = 0; i < elements; ++i) visit(Access{}, field, i);
  });
}

}  // namespace detail

/// Record → lane: the lane's durable fields become the chain's. Scratch is left alone.
template <HasFields State, class Shape>
void gather(State& state, int lane, const std::byte* record, const Shape& shape) {
  detail::visit_record<State>(shape, [&](auto access, const auto& field, int i) {
    using Access = decltype(access);
    typename Access::Element element;
    std::memcpy(&element, record, sizeof element);
    record += sizeof element;
    Access::set(state.*field.member, lane, i, element);
  });
}

/// Lane → record. NaNs are stored in one form, so that equal chains have equal bytes.
template <HasFields State, class Shape>
void scatter(const State& state, int lane, std::byte* record, const Shape& shape) {
  detail::visit_record<State>(shape, [&](auto access, const auto& field, int i) {
    using Access = decltype(access);
    const auto element = detail::canonical(Access::get(state.*field.member, lane, i));
    std::memcpy(record, &element, sizeof element);
    record += sizeof element;
  });
}

/// Names, types and lengths of the durable fields: "x:f8[3] log_density:f8[1]". Equal for every width and storage.
template <HasFields State, class Shape>
std::string describe_record(const Shape& shape) {
  std::string text;
  for_each_durable<State>([&](const auto& field) {
    using Access = detail::AccessOf<decltype(field)>;
    if (!text.empty()) text.append(" ");
    text.append(field.name).append(":").append(1, Access::kind);
    text.append(std::to_string(sizeof(typename Access::Element))).append("[");
    text.append(std::to_string(Access::chain_elements(field.rows(shape), field.length(shape)))).append("]");
  });
  return text;
}

}  // namespace breakstep::inline BREAKSTEP_ABI::lanes
