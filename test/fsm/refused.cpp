// Programs that must not compile, one per macro, and with no macro one that must; test/fsm/CMakeLists.txt checks the
// words.
#include "breakstep/fsm/program.hpp"

namespace fsm = breakstep::fsm;

constexpr fsm::Nothing code{};
constexpr auto block = fsm::block("block", code);

#if defined(NEVER_HALTS)
constexpr auto program = fsm::program(block, fsm::loop(code, fsm::loop(code, block)));
#elif defined(REPEAT_NEVER_HALTS)
constexpr auto program = fsm::program(fsm::repeat(fsm::loop(code, block), code), block);
#elif defined(LOOP_WITHOUT_BODY)
constexpr auto program = fsm::program(block, fsm::loop(code));
#elif defined(LOOP_WITHOUT_CONDITION)
constexpr auto program = fsm::program(block, fsm::loop(block, block));
#elif defined(REPEAT_WITHOUT_CONDITION)
constexpr auto program = fsm::program(block, fsm::repeat(block, block));
#elif defined(NOT_A_PART)
constexpr auto program = fsm::program(block, code);
#else
constexpr auto program = fsm::program(block, fsm::loop(code, block, fsm::repeat(fsm::loop(code, block), block, code)));
static_assert(program.block_count == 4);
#endif
