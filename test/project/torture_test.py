"""tools/torture in short: the tool bears it, and tools that do not are found out."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

root, program = Path(sys.argv[1]), sys.argv[2]

# What a broken tool does instead, and which kind of trial must notice.
BROKEN = {
    "other draws in every run": ("same", 'echo "{\\"draws_hash\\": \\"$$\\"}"'),
    "a crash": ("bad", "kill -SEGV $$"),
    "a refusal without a word": ("bad", "exit 2"),
    "success without a file": ("kill", "trap '' TERM INT; exit 0"),
    "half a file": ("kill", 'while [ "$1" != --out ]; do shift; done; printf x > "$2"; exec sleep 60'),
}


def torture(tool, *options):
    done = subprocess.run([sys.executable, root / "tools/torture", "--program", tool, *options], capture_output=True, text=True)
    return done.returncode, done.stdout


code, output = torture(program, "--trials", "12")
assert code == 0 and output.endswith("36 passed, 0 failed\n"), output
for name, (kind, script) in BROKEN.items():
    with tempfile.TemporaryDirectory() as folder:
        fake = Path(folder) / "breakstep"
        fake.write_text("#!/bin/bash\n" + script + "\n")
        os.chmod(fake, 0o755)
        code, output = torture(str(fake), "--only", kind, "--trials", "8")
        assert code == 1, f"{name} was not noticed: {output}"
