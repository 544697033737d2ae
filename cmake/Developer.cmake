# What only work on breakstep itself needs: warnings as errors, GoogleTest, and helpers that declare tests.
enable_testing()
find_package(GTest REQUIRED)
include(GoogleTest)

# Sanitizers (and clang-tidy, see the presets) are slow on the largest template files; tests then take fewer widths.
set(BREAKSTEP_SANITIZED OFF)
if(CMAKE_CXX_FLAGS_DEBUG MATCHES "-fsanitize=")
  set(BREAKSTEP_SANITIZED ON)
  add_compile_definitions(BREAKSTEP_FEW_WIDTHS)
endif()

add_library(breakstep_warnings INTERFACE)
target_compile_options(breakstep_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Wno-psabi -Werror)
foreach(target breakstep breakstep_cpu breakstep_app breakstep_verbs breakstep_entry)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:breakstep_warnings>)
endforeach()

# breakstep_test(NAME folder/file_test.cpp [LIBRARIES ...] [LABELS unit|slow] [TIMEOUT seconds])
# One executable per file; every TEST in it becomes a ctest test. "unit" tests make up `make check`.
function(breakstep_test name source)
  cmake_parse_arguments(ARG "" "LABELS;TIMEOUT" "LIBRARIES" ${ARGN})
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE breakstep::breakstep breakstep_warnings GTest::gtest GTest::gtest_main ${ARG_LIBRARIES})
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 TEST_PREFIX "${name}: "
    PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT} SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]")
endfunction()
