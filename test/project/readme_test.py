"""Runs the commands and compiles the code of README.md, so that they cannot rot.

Usage: readme_test.py ROOT BUILD. Blocks marked ```sh are run line by line with the built tool on the PATH, in a scratch
folder; `make TARGET` lines are only checked for the target (running make test from a test would never end). Blocks
marked ```cpp are compiled against an installed package and run; a following ```text block is what they, or the
commands before it, must print.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```(sh|cpp|text)\n(.*?)^```$", re.M | re.S)


def run(command: str, folder: str, path: str) -> str:
    env = dict(os.environ, PATH=f"{path}:{os.environ['PATH']}")
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=folder, env=env, text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"README command failed ({done.returncode}): {command}\n{done.stdout}{done.stderr}")
    return done.stdout


def check_make(line: str, makefile: str) -> None:
    for target in line.split()[1:]:
        if "=" not in target and not re.search(rf"^(?:[\w ]+ )?{re.escape(target)}(?: [\w ]+)?:", makefile, re.M):
            sys.exit(f"README names `make {target}`, which the Makefile does not have")


def compile_and_run(code: str, folder: str, root: pathlib.Path, build: pathlib.Path) -> str:
    prefix = pathlib.Path(folder, "prefix")
    source = pathlib.Path(folder, "outside")
    if not prefix.exists():
        run(f"cmake --install '{build}' --prefix '{prefix}' >/dev/null", folder, "/nowhere")
    source.mkdir(exist_ok=True)
    (source / "main.cpp").write_text(code)
    (source / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(outside LANGUAGES CXX)\nfind_package(breakstep REQUIRED)\n"
        "add_executable(main main.cpp)\ntarget_link_libraries(main PRIVATE breakstep::breakstep)\n")
    run(f"cmake -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH='{prefix}' -S '{source}' -B '{source}/build' "
        f">/dev/null && cmake --build '{source}/build' >/dev/null", folder, "/nowhere")
    return run(f"'{source}/build/main'", folder, "/nowhere")


def main() -> None:
    root, build = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    makefile = (root / "Makefile").read_text()
    commands = programs = 0
    printed = ""
    with tempfile.TemporaryDirectory() as folder:
        for kind, body in BLOCK.findall((root / "README.md").read_text()):
            if kind == "text":
                if body.strip() != printed.strip():
                    sys.exit(f"README shows\n{body}\nbut this is printed:\n{printed}")
                continue
            printed = ""
            if kind == "cpp":
                printed = compile_and_run(body, folder, root, build)
                programs += 1
                continue
            for line in body.splitlines():
                line = line.split("  #")[0].strip()
                if not line:
                    continue
                commands += 1
                if line.startswith("make"):
                    check_make(line, makefile)
                else:
                    printed += run(line, folder, str(build))
    if commands < 5 or programs < 1:
        sys.exit(f"README has {commands} commands and {programs} programs; this test found too little to be testing anything")
    print(f"{commands} commands and {programs} programs of README.md work")


if __name__ == "__main__":
    main()
