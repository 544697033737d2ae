"""Checks that headers and sources include only what the layers of ARCHITECTURE.md allow. Usage: layering_test.py ROOT"""
import pathlib
import re
import sys

# folder -> folders it may include besides itself; "" is the root headers abi.hpp, error.hpp and cpu.hpp.
ALLOWED = {
    "": set(),
    "lanes": {""},
    "fsm": {""},
    "diagnostics": {""},
    "target": {"", "lanes"},
    "sampler": {"", "fsm", "lanes", "target"},
    "runtime": {"", "fsm", "lanes", "target"},
    "registry": {"", "fsm", "lanes", "target", "sampler", "runtime"},
    "calibration": {"", "lanes", "diagnostics", "target", "runtime", "registry"},
    "app": {"", "fsm", "lanes", "diagnostics", "target", "runtime", "registry", "calibration"},
    "cpu": {""},
}
INCLUDE = re.compile(r'^\s*#\s*include\s+["<](?:breakstep/)?((?:[a-z_]+/)*)([a-z_0-9]+\.hpp)[">]', re.M)


def folder_of(path: pathlib.Path, root: pathlib.Path) -> str:
    for base in ("include/breakstep", "src"):
        try:
            parts = path.relative_to(root / base).parts
        except ValueError:
            continue
        return parts[0] if len(parts) > 1 else ""
    raise AssertionError(path)


def violations(root: pathlib.Path, files) -> list[str]:
    found = []
    for path in files:
        here = folder_of(path, root)
        if here not in ALLOWED:
            found.append(f"{path}: folder '{here}' has no layer; add it to ALLOWED and to ARCHITECTURE.md")
            continue
        for folder, name in INCLUDE.findall(path.read_text()):
            there = folder.split("/")[0]
            if folder == "" and (path.parent / name).exists():
                there = here
            is_ours = there in ALLOWED  # not a header of another library
            if is_ours and there != here and there not in ALLOWED[here]:
                found.append(f"{path.relative_to(root)}: {here or 'root'} must not include {there}/{name}")
    return found


def main() -> int:
    root = pathlib.Path(sys.argv[1])
    files = [p for base in ("include", "src") for p in (root / base).rglob("*.[ch]pp")]
    found = violations(root, files)
    # The check must be able to fail: a lanes header that includes fsm is a violation.
    probe = root / "include/breakstep/lanes/pack.hpp"

    class Probe(type(probe)):
        def read_text(self, *a, **k):
            return '#include "breakstep/fsm/machine.hpp"\n'

    if len(violations(root, [Probe(probe)])) != 1:
        found.append("the check itself is broken: it accepts fsm inside lanes")
    print("\n".join(found) if found else f"{len(files)} files keep the layers")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
