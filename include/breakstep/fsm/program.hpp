// Programs of C++ blocks and loops: write a sampler's control flow once, get its state machine as a constant.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "breakstep/fsm/convert.hpp"
#include "breakstep/fsm/machine.hpp"
#include "breakstep/fsm/tree.hpp"

namespace breakstep::inline BREAKSTEP_ABI::fsm {

/// Says in block(...) that the log density is evaluated after `before`.
struct Density {};
inline constexpr Density density{};

/// The `after` of a block that has none: accepts anything, does nothing.
struct Nothing {
  template <class... Arguments>
  constexpr void operator()(Arguments&&...) const noexcept {}
};

/// Straight-line code. `before` and `after` are any callables; what they are called with is the business of whoever
/// runs the program.
template <class Before, class After, bool asks>
struct Block {
  static constexpr bool asks_density = asks;

  std::string_view name;
  Before before;
  After after;

  static constexpr void mark(TreeBuilder& tree) { tree.block(); }
  constexpr auto blocks() const { return std::tuple<Block>(*this); }
  constexpr auto conditions() const { return std::tuple<>(); }
};

/// A loop over `parts`. `tests_first` tells a while loop from a do-while (repeat).
template <bool tests_first_, class Condition, class... Parts>
struct Loop {
  static constexpr bool tests_first = tests_first_;

  Condition condition;
  std::tuple<Parts...> parts;

  static constexpr void mark(TreeBuilder& tree) {
    tree.open(tests_first ? MarkKind::open_while : MarkKind::open_repeat);
    (Parts::mark(tree), ...);
    tree.close();
  }
  constexpr auto blocks() const {
    return std::apply([](const auto&... part) { return std::tuple_cat(part.blocks()...); }, parts);
  }
  constexpr auto conditions() const {
    const auto inner = std::apply([](const auto&... part) { return std::tuple_cat(part.conditions()...); }, parts);
    return std::tuple_cat(inner, std::tuple<Condition>(condition));
  }
};

template <class>
inline constexpr bool is_block = false;
template <class Before, class After, bool asks>
inline constexpr bool is_block<Block<Before, After, asks>> = true;

template <class>
inline constexpr bool is_loop = false;
template <bool tests_first, class Condition, class... Parts>
inline constexpr bool is_loop<Loop<tests_first, Condition, Parts...>> = true;

/// What a program or loop is made of. A runtime that keeps the loops as loops walks `parts` and asks is_block or
/// is_loop.
template <class T>
concept Part = is_block<std::remove_cvref_t<T>> || is_loop<std::remove_cvref_t<T>>;

template <class... Parts>
constexpr Tree tree_of(Numbering numbering = Numbering::paper) {
  TreeBuilder tree(numbering);
  (Parts::mark(tree), ...);
  return tree.finish();
}

template <class... Parts>
constexpr auto machine_of() {
  constexpr MachineSize size = size_of(collapse(connect(tree_of<Parts...>())));
  return freeze<size.states, size.edges, size.labels>(collapse(connect(tree_of<Parts...>())));
}

/// A program in its three forms: as it was written (`parts`, a tuple of blocks and loops), as lists (`blocks` in source
/// order, `conditions` by loop number, inner loops before outer ones), and as a machine. State k of the machine runs
/// blocks[states[k].number] or is empty; label n tests conditions[n - 1].
template <class... Parts>
struct Program {
  using Blocks = decltype(std::tuple_cat(std::declval<const Parts&>().blocks()...));
  using Conditions = decltype(std::tuple_cat(std::declval<const Parts&>().conditions()...));

  static constexpr int block_count = static_cast<int>(std::tuple_size_v<Blocks>);
  static constexpr int loop_count = static_cast<int>(std::tuple_size_v<Conditions>);
  static_assert(loop_count <= max_compiled_loops, "breakstep: a program can have at most 64 loops");
  static_assert(
      !may_never_halt(tree_of<Parts...>()),
      "breakstep: this program may never halt (a loop whose body consists of while loops alone can go round for "
      "ever without running a block): put a block into the outer loop, or make an inner loop a repeat");

  static constexpr auto machine = machine_of<Parts...>();
  /// The blocks and loops as marks, for a runtime that walks the loops as loops. Loops are numbered as in `conditions`.
  static constexpr Tree tree() { return tree_of<Parts...>(); }
  /// For each block, in source order, whether it asks for the log density.
  static constexpr std::array<bool, block_count> asks_density =
      []<class... Each>(std::type_identity<std::tuple<Each...>>) {
        return std::array<bool, block_count>{Each::asks_density...};
      }(std::type_identity<Blocks>());

  std::tuple<Parts...> parts;
  Blocks blocks;
  Conditions conditions;

  constexpr explicit Program(Parts... part)
      : parts(part...), blocks(std::tuple_cat(part.blocks()...)), conditions(std::tuple_cat(part.conditions()...)) {}

  /// The names of the blocks, in source order.
  constexpr std::array<std::string_view, block_count> names() const {
    return std::apply([](const auto&... block) { return std::array<std::string_view, block_count>{block.name...}; },
                      blocks);
  }
};

/// A block that runs `before`.
template <class Before>
constexpr auto block(std::string_view name, Before before) {
  return Block<Before, Nothing, false>{name, before, {}};
}

/// A block that runs `before`, has the log density evaluated, and then runs `after`.
template <class Before, class After = Nothing>
constexpr auto block(std::string_view name, Before before, Density, After after = {}) {
  return Block<Before, After, true>{name, before, after};
}

/// while (condition) { parts... }
template <class Condition, class... Parts>
constexpr auto loop(Condition condition, Parts... parts) {
  static_assert(!Part<Condition>,
                "breakstep: the first argument of fsm::loop is its condition, the blocks come after it");
  static_assert(sizeof...(Parts) > 0, "breakstep: fsm::loop needs a body: at least one block after the condition");
  static_assert((Part<Parts> && ...),
                "breakstep: the body of fsm::loop is made of fsm::block, fsm::loop and fsm::repeat");
  return Loop<true, Condition, Parts...>{condition, {parts...}};
}

/// do { parts... } while (condition); the condition is the last argument.
template <class... Arguments>
constexpr auto repeat(Arguments... arguments) {
  static_assert(sizeof...(Arguments) > 1,
                "breakstep: fsm::repeat needs a body and a condition: fsm::repeat(block, condition)");
  constexpr std::size_t last = sizeof...(Arguments) - 1;
  const std::tuple<Arguments...> all(arguments...);
  return [&all]<std::size_t... index>(std::index_sequence<index...>) {
    using Condition = std::tuple_element_t<last, std::tuple<Arguments...>>;
    static_assert(!Part<Condition>, "breakstep: the last argument of fsm::repeat is its condition");
    static_assert((Part<std::tuple_element_t<index, std::tuple<Arguments...>>> && ...),
                  "breakstep: the body of fsm::repeat is made of fsm::block, fsm::loop and fsm::repeat");
    return Loop<false, Condition, std::tuple_element_t<index, std::tuple<Arguments...>>...>{std::get<last>(all),
                                                                                            {std::get<index>(all)...}};
  }
  (std::make_index_sequence<last>());
}

/// The program that runs `parts` one after another. Does not compile if it may never halt.
template <class... Parts>
constexpr auto program(Parts... parts) {
  static_assert(sizeof...(Parts) > 0, "breakstep: fsm::program needs at least one block");
  static_assert((Part<Parts> && ...), "breakstep: fsm::program is made of fsm::block, fsm::loop and fsm::repeat");
  return Program<Parts...>(parts...);
}

}  // namespace breakstep::inline BREAKSTEP_ABI::fsm
