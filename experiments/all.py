"""Runs every experiment, or those of --only, one after the other."""
import importlib
import os
import pathlib
import signal
import subprocess
import sys
import time

import common

# Nothing is timed in it, and in the full form it computes for two hours: there it runs on a core of its own, beside the others,
# until those come that need all cores.
UNTIMED = "motivation"
ON_ALL_CORES = {"funnel", "scale", "advisor"}


class Beside:
    """An experiment that runs on the first core while this process has the others."""

    def __init__(self, name: str, options):
        self.name, self.cores = name, sorted(os.sched_getaffinity(0))
        words = [f"--{options.form}", "--build", options.build, "--out", options.out, *(["--again"] if options.again else []),
                 *(["--data-dir", options.data_dir] if options.data_dir else [])]
        os.sched_setaffinity(0, self.cores[:1])  # which the child inherits
        # A session of its own, so that stopping it stops what it has started, too.
        self.process = subprocess.Popen([sys.executable, str(common.ROOT / "experiments" / name / "run.py"), *words], start_new_session=True)
        os.sched_setaffinity(0, self.cores[1:])

    def wait(self):
        code = self.process.wait()
        os.sched_setaffinity(0, self.cores)
        if code != 0:
            sys.exit(f"experiments: {self.name} ended with exit code {code}")

    def stop(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
            self.process.wait()


def run(wanted: list[str], options, beside: Beside | None):
    for name in wanted:
        if beside and name in ON_ALL_CORES:
            beside.wait()
            beside = None
        print(name, flush=True)
        lab = common.Lab(options, name)
        # For readers of a run that is stopped; its load is noted at the end.
        lab.note(machine=common.machine_facts(lab), beside=beside.name if beside else "")
        importlib.import_module(f"{name}.run").run(lab)
        lab.note(machine=common.machine_facts(lab))
    if beside:
        beside.wait()


def main():
    parser = common.options_parser(__doc__)
    parser.add_argument("--only", default="", help="names of folders, separated by commas")
    options = parser.parse_args()
    wanted = options.only.split(",") if options.only else common.EXPERIMENTS
    for name in wanted:
        if name not in common.EXPERIMENTS:
            sys.exit(f"experiments: there is no experiment '{name}' (there are {', '.join(common.EXPERIMENTS)}): name one of them")
    begin = time.monotonic()
    beside = None
    if options.form == "full" and UNTIMED in wanted and len(wanted) > 1 and len(os.sched_getaffinity(0)) > 1:
        wanted = [name for name in wanted if name != UNTIMED]
        beside = Beside(UNTIMED, options)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("experiments: stopped"))
    try:
        run(wanted, options, beside)
    except BaseException:
        if beside:
            beside.stop()
        raise
    print(f"experiments: measured in {time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
    main()
