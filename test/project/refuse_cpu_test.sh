#!/usr/bin/env bash
# Runs the tool on an emulated processor without AVX2: it must refuse in words, not die of an illegal instruction.
set -uo pipefail
if ! command -v qemu-x86_64 >/dev/null; then
  echo "SKIPPED: qemu-x86_64 (package qemu-user) is not installed, so no processor without AVX2 can be emulated"
  exit 77
fi
words=$(qemu-x86_64 -cpu Nehalem "$1" --version 2>&1)
code=$?
echo "exit $code: $words"
[ $code -eq 3 ] && [[ $words == *"no AVX2 or no FMA"* ]]
