"""Runs every experiment, or those of --only, one after the other."""
import importlib
import pathlib
import sys
import time

import common


def main():
    parser = common.options_parser(__doc__)
    parser.add_argument("--only", default="", help="names of folders, separated by commas")
    options = parser.parse_args()
    wanted = options.only.split(",") if options.only else common.EXPERIMENTS
    for name in wanted:
        if name not in common.EXPERIMENTS:
            sys.exit(f"experiments: there is no experiment '{name}' (there are {', '.join(common.EXPERIMENTS)}): name one of them")
    begin = time.monotonic()
    for name in wanted:
        print(name, flush=True)
        lab = common.Lab(options, name)
        lab.note(machine=common.machine_facts(lab))  # for readers of a run that is stopped; its load is noted at the end
        importlib.import_module(f"{name}.run").run(lab)
        lab.note(machine=common.machine_facts(lab))
    print(f"experiments: measured in {time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
    main()
