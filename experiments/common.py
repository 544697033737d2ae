"""What the experiments share: options, running commands once, and reading what was written. Standard library only."""
import argparse
import csv
import json
import os
import pathlib
import shlex
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXPERIMENTS = ["motivation", "machines", "theory", "delayed_rejection", "elliptical_slice", "nuts", "tables", "funnel", "scale", "advisor"]
FORMS = ["short", "default", "full"]


def options_parser(description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--short", action="store_const", const="short", dest="form", help="two minutes; too short to judge")
    form.add_argument("--full", action="store_const", const="full", dest="form", help="hours; near the paper's numbers of draws")
    parser.set_defaults(form="default")
    parser.add_argument("--build", default=str(ROOT / "build/release"), help="where breakstep and measure were built")
    parser.add_argument("--out", default=str(ROOT / "build/experiments"), help="where results go")
    parser.add_argument("--data-dir", default="", help="folder with real_estate.csv and the others; default ../shared/data")
    parser.add_argument("--again", action="store_true", help="measure again what has been written already")
    return parser


class Lab:
    """Runs commands into the folder of one experiment; what an equal command has written is kept."""

    def __init__(self, options, experiment: str):
        self.form, self.again = options.form, options.again
        self.build = pathlib.Path(options.build).resolve()
        self.folder = pathlib.Path(options.out).resolve() / experiment
        self.folder.mkdir(parents=True, exist_ok=True)
        found = pathlib.Path(options.data_dir) if options.data_dir else ROOT.parent / "shared/data"
        if options.data_dir and not found.is_dir():
            sys.exit(f"experiments: there is no folder {found} (--data-dir names it): give the one with real_estate.csv")
        self.data_dir = found.resolve() if found.is_dir() else None
        self.breakstep = self.build / "breakstep"
        self.measure = self.build / "experiments/measure"
        for program in (self.breakstep, self.measure):
            if not program.exists():
                sys.exit(f"experiments: {program} is missing (nothing was built there): run make build first")

    def pick(self, short, default, full):
        return {"short": short, "default": default, "full": full}[self.form]

    def data(self, name: str) -> list[str]:
        """Arguments that name a data file, or none if there is no such file: then targets make up their data."""
        path = self.data_dir / name if self.data_dir else None
        return ["--data", str(path)] if path and path.exists() else []

    def once(self, name: str, command: list, produce) -> pathlib.Path:
        """Calls produce(path) unless the same command has written the file called `name` already."""
        path = self.folder / name
        key = path.with_name(name + ".command")
        text = shlex.join(self.without_places(part) for part in command) + "\n"
        if not self.again and path.exists() and key.exists() and key.read_text() == text:
            print(f"  {self.folder.name}/{name}: kept", flush=True)
            return path
        key.unlink(missing_ok=True)
        begin = time.monotonic()
        produce(path)
        key.write_text(text)
        print(f"  {self.folder.name}/{name}: {time.monotonic() - begin:.1f} s", flush=True)
        return path

    def without_places(self, part) -> str:
        text = str(part)
        for place, short in ((self.data_dir, "DATA"), (self.folder, "OUT"), (self.build, "BUILD"), (ROOT, ".")):
            text = text.replace(str(place), short) if place else text
        return text

    def time(self, name: str, **arguments) -> list[dict]:
        """Rows of `measure time`."""
        command = [self.measure, "time", *flags(arguments)]

        def produce(path):
            partial = path.with_name(path.name + ".partial")
            with partial.open("w") as out:
                self.check(command, stdout=out)
            partial.rename(path)

        return read_csv(self.once(name + ".csv", command, produce))

    def lengths(self, name: str, **arguments):
        """Files of `measure lengths`, called NAME_histogram.csv and so on."""
        command = [self.measure, "lengths", *flags(arguments), "--out", self.folder / name]
        # The last one written stands for all.
        self.once(name + "_costs.csv", command, lambda path: self.check(command))

    def tool(self, name: str, *arguments) -> pathlib.Path:
        """Standard output of breakstep in a file. A request that it refuses is an error: nobody may drop out of a table unnoticed."""
        command = [self.breakstep, *arguments]

        def produce(path):
            result = self.check(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            path.write_bytes(result.stdout)
            path.with_name(path.name + ".messages").write_bytes(result.stderr)

        return self.once(name, command, produce)

    @staticmethod
    def check(command, **how):
        result = subprocess.run([str(part) for part in command], **how)
        if result.returncode != 0:
            if result.stderr:
                sys.stderr.write(result.stderr.decode(errors="replace"))
            sys.exit(f"experiments: exit code {result.returncode} of {shlex.join(str(part) for part in command)}")
        return result

    def write(self, name: str, columns: list[str], rows):
        """A table that was computed here."""
        with (self.folder / name).open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows(rows)

    def listed(self) -> set[str]:
        """Names of samplers and targets that this build has."""
        text = self.check([self.breakstep, "list"], stdout=subprocess.PIPE).stdout.decode()
        return {line.split()[0] for line in text.splitlines() if line.startswith("  ") and not line.startswith("   ")}

    def note(self, **facts):
        """What the page must say about the circumstances."""
        path = self.folder / "notes.json"
        notes = json.loads(path.read_text()) if path.exists() else {}
        notes.update(facts, form=self.form)
        path.write_text(json.dumps(notes, indent=1, sort_keys=True) + "\n")


def flags(arguments: dict) -> list[str]:
    words = []
    for name, value in arguments.items():
        if name == "extra":
            words += value
        elif isinstance(value, (list, tuple)):
            words += ["--" + name.replace("_", "-"), ",".join(str(v) for v in value)]
        else:
            words += ["--" + name.replace("_", "-"), str(value)]
    return words


def read_csv(path) -> list[dict]:
    """Rows as dictionaries, numbers as numbers; no rows if there is no file."""
    path = pathlib.Path(path)
    if not path.exists():
        return []
    with path.open() as file:
        return [{key: number(value) for key, value in row.items()} for row in csv.DictReader(file)]


def number(text):
    try:
        return int(text)
    except (TypeError, ValueError):
        try:
            return float(text)
        except (TypeError, ValueError):
            return text


def median(values):
    values = list(values)
    return statistics.median(values) if values else None


def ratios(rows: list[dict], slower: str, faster: str, *, clock="seconds", **where) -> list[float]:
    """Seconds of one mode over those of another, one ratio for each seed and round: both were timed side by side."""
    def turns(mode):
        return {(row["seed"], row["round"]): row[clock] for row in rows
                if row["mode"] == mode and all(row[k] == v for k, v in where.items())}
    a, b = turns(slower), turns(faster)
    return [a[turn] / b[turn] for turn in sorted(a.keys() & b.keys())]


def chosen(rows: list[dict], **where) -> list[dict]:
    return [row for row in rows if all(row.get(key) == value for key, value in where.items())]


def machine_facts(lab: Lab) -> dict:
    row = list(csv.DictReader(Lab.check([lab.measure, "machine"], stdout=subprocess.PIPE).stdout.decode().splitlines()))[0]
    model = next((line.split(":", 1)[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
                  if line.startswith("model name")), "unknown")
    return {**row, "processor": model, "load": f"{os.getloadavg()[0]:.1f}"}


def main(run, description: str):
    """For a folder that is run alone."""
    options = options_parser(description).parse_args()
    name = pathlib.Path(sys.argv[0]).resolve().parent.name
    lab = Lab(options, name)
    lab.note(machine=machine_facts(lab))
    run(lab)
    lab.note(machine=machine_facts(lab))
