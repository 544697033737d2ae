#!/usr/bin/env bash
# Installs breakstep into a scratch prefix and builds an outside project against it with find_package. Usage: ROOT BUILD
set -euo pipefail
root=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" >/dev/null
cmake -G Ninja -S "$root/test/project/outside" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$work/build" >/dev/null
"$work/build/outside"
"$work/prefix/bin/breakstep" fsm "op1W{op1}" >/dev/null

# The flags that equal bits depend on must have travelled with the package.
grep -q -- "-ffp-contract=off" "$work/build/build.ninja" || { echo "-ffp-contract=off was not exported"; exit 1; }

# A requirement the package cannot meet must be refused.
sed 's/find_package(breakstep 0.1 REQUIRED)/find_package(breakstep 99.0 REQUIRED)/' "$root/test/project/outside/CMakeLists.txt" >"$work/CMakeLists.txt"
mkdir "$work/impossible" && mv "$work/CMakeLists.txt" "$work/impossible/" && cp "$root/test/project/outside/main.cpp" "$work/impossible/"
if cmake -G Ninja -S "$work/impossible" -B "$work/impossible/build" -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null 2>&1; then
  echo "version 99 was accepted"; exit 1
fi
echo "the installed package builds and runs an outside project"
