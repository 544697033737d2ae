# Turns BREAKSTEP_ISA into compiler flags. "native" is resolved to a named level once, at configure time, so that what users
# of an installed package compile is what the library was compiled for.

function(breakstep_resolve_isa requested out)
  set(resolved "${requested}")
  if(requested STREQUAL "native")
    set(resolved avx2)
    execute_process(COMMAND grep -m1 "^flags" /proc/cpuinfo OUTPUT_VARIABLE flags ERROR_QUIET)
    if(flags MATCHES " avx512f " AND flags MATCHES " avx512vl " AND flags MATCHES " avx512dq " AND flags MATCHES " avx512bw ")
      set(resolved avx512)
    endif()
  elseif(NOT requested MATCHES "^(avx2|avx512)$")
    message(FATAL_ERROR "BREAKSTEP_ISA is '${requested}' (not an instruction set breakstep knows): use native, avx2 or avx512.")
  endif()
  set(${out} "${resolved}" PARENT_SCOPE)
endfunction()

function(breakstep_isa_flags isa out)
  if(isa STREQUAL "avx512")
    set(${out} -march=x86-64-v4 -mprefer-vector-width=512 PARENT_SCOPE)
  else()
    set(${out} -march=x86-64-v3 PARENT_SCOPE)
  endif()
endfunction()

# Packs are copied by whole registers. Left alone, g++ copies 16 bytes at a time, and a register that is loaded from two such
# stores has to wait until both have reached the cache: 10 to 20 % of a cheap draw. (An option since g++ 12.)
function(breakstep_copy_flags isa out)
  if(isa STREQUAL "avx512")
    set(bits 512)
  else()
    set(bits 256)
  endif()
  set(has_option $<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,12>)
  # Nor may it join what lies side by side into one vector (masks of lanes, mostly): loads of two must wait for stores of one.
  set(${out} -fno-tree-slp-vectorize $<$<AND:${has_option}>:-mmove-max=${bits}> $<$<AND:${has_option}>:-mstore-max=${bits}> PARENT_SCOPE)
endfunction()

# Without these, equal source would not give equal bits: a*b+c must not be fused silently, and g++ 12 at -O3 miscompiles
# loops over arrays of packs in its loop-splitting pass (test/lanes/cholesky_test.cpp fails with it).
set(BREAKSTEP_FLOAT_FLAGS -ffp-contract=off $<$<CXX_COMPILER_ID:GNU>:-fno-split-loops>)
