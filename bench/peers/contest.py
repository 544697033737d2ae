"""Runs breakstep and its peers on the same work, checks every contestant's draws, and writes a table and JSON.

Fixed parameters: the same step size, metric and starts for all; what counts are useful gradients per second, the
leapfrogs that each chain would compute alone. Whole: from scratch with everybody's own warm-up; what counts is the
smallest effective sample size per second. Slices: delayed rejection and elliptical slice (slices.py). Many: MEADS, ChEES
and transport slice (many.py). Started by tools/peers; docs/peers.md explains the results.
"""
import argparse
import atexit
import dataclasses
import importlib.metadata
import json
import os
import pathlib
import platform
import select
import signal
import subprocess
import sys
import tempfile
import warnings

import numpy as np

warnings.filterwarnings("ignore", category=FutureWarning)  # ArviZ announces its next version at import
import arviz

import known
from many import many_contest, many_table
from many_densities import MANY_TARGETS
from moments import verdict, worst
from problem import NEEDS_NO_DATA, make_problem, mixture_starts, uniform_starts
from table import render

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parent.parent
LONGEST_COMPILATION = 1200  # seconds
FIXED_TARGET = "mixture_code_dense"
CONTESTS = ["fixed", "whole", "slices", "many"]
WHOLE_TARGETS = ["eight_schools_noncentred", "pilots", "german_credit", "google_stock"]


@dataclasses.dataclass(frozen=True)
class Contestant:
    name: str
    module: str
    precision: str
    settings: dict = dataclasses.field(default_factory=dict)

    @property
    def uses_jax(self):
        return self.module not in ("breakstep_nuts", "stan_nuts")


IN_JAX = [
    Contestant("the paper's method in JAX", "freed_nuts", "single"),
    Contestant("BlackJAX, vmap", "blackjax_nuts", "single"),
    Contestant("NumPyro, vectorized", "numpyro_nuts", "single", {"chain_method": "vectorized"}),
    Contestant("NumPyro, sequential", "numpyro_nuts", "single", {"chain_method": "sequential"}),
]


def with_plain_density(contestant):
    """With the density as users write it, without our rules by hand (densities.py)."""
    settings = contestant.settings | {"plain_density": True}
    return dataclasses.replace(contestant, name=contestant.name + ", plain density", settings=settings)


FIXED = [
    Contestant("breakstep", "breakstep_nuts", "single", {"schedule": "free"}),
    Contestant("breakstep in lock-step", "breakstep_nuts", "single", {"schedule": "lockstep"}),
    *IN_JAX,
    *map(with_plain_density, IN_JAX),
    Contestant("breakstep", "breakstep_nuts", "double", {"schedule": "free"}),
    Contestant("Stan", "stan_nuts", "double"),
]
WHOLE = [
    Contestant("breakstep", "breakstep_nuts", "single"),
    Contestant("breakstep", "breakstep_nuts", "double"),
    Contestant("NumPyro, vectorized", "numpyro_nuts", "single", {"chain_method": "vectorized"}),
    Contestant("BlackJAX, vmap", "blackjax_nuts", "single"),
    Contestant("Stan", "stan_nuts", "double"),
    Contestant("nutpie", "nutpie_nuts", "double"),
]


class Failure(Exception):
    """A contestant that has no result, and why."""


class Worker:
    """The process of one contestant, on the cores of the contest."""

    def __init__(self, contestant, job, options, folder):
        self.folder, self.clock = pathlib.Path(tempfile.mkdtemp(dir=folder)), options.clock
        files = {name + "_file": str(self.folder / f"{name}.npy") for name in ("draws", "leapfrogs")}
        self.job = {**job, **contestant.settings, **files, "folder": str(self.folder), "module": contestant.module}
        self.job |= {"precision": contestant.precision, "uses_jax": contestant.uses_jax}
        environment = dict(os.environ, OMP_NUM_THREADS=str(options.cores), JAX_PLATFORMS="cpu")
        if options.cores == 1:
            environment["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
        cores = ",".join(map(str, sorted(os.sched_getaffinity(0))[-options.cores :]))
        self.errors = open(self.folder / "errors", "w")
        self.process = subprocess.Popen(
            ["taskset", "-c", cores, sys.executable, str(HERE / "worker.py"), json.dumps(self.job)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            env=environment,
            start_new_session=True,
            text=True,
        )
        atexit.register(self.close)  # an interrupted contest leaves nobody running

    def answer(self, seconds):
        if not select.select([self.process.stdout], [], [], seconds)[0]:
            self.close()
            raise Failure(f"cut off at {seconds:.0f} s")
        line = self.process.stdout.readline()
        if not line:
            self.close()
            lines = (self.folder / "errors").read_text().strip().splitlines()
            last = lines[-1] if lines else f"exit code {self.process.returncode}"
            raise Failure("not run: " + last.split("NotRun: ")[-1] if "NotRun" in last else "failed: " + last[:100])
        return json.loads(line)

    def make(self, seed, limit):
        self.process.stdin.write(f"{seed}\n")
        self.process.stdin.flush()
        answer = self.answer(limit)
        if self.clock == "cpu":
            answer["seconds"] *= answer["share"]
        draws = np.load(self.job["draws_file"])
        leapfrogs = np.load(self.job["leapfrogs_file"]) if os.path.exists(self.job["leapfrogs_file"]) else None
        return answer, draws, leapfrogs

    def close(self):
        """Ends the process and whatever it has started."""
        atexit.unregister(self.close)
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.errors.close()


def job_of(problem, options, contest, starts_file, **sizes):
    build = PROJECT / "build" / "release"
    return {
        "contest": contest,
        "target": problem.name,
        "data_folder": str(options.data),
        "data_file": problem.file,
        "starts_file": str(starts_file),
        "stan_folder": str(PROJECT / "build" / "peers" / "stan"),
        "program": str(build / "breakstep"),
        "fixed_program": str(build / "bench" / "peers" / "fixed_nuts"),
        "step_size": 0.0316227766,
        "max_depth": 10,
        "limit": options.limit,
        "plain_density": False,
        "cores": options.cores,
        **sizes,
    }


def check(row, scores):
    name, z = worst(scores)
    wrong = verdict(scores)
    row |= {"worst_quantity": name, "worst_z": z, "is_wrong": bool(wrong)}
    row["remark"] = "; ".join(filter(None, [wrong, row["remark"]]))


def prepared_workers(contestants, job, options, folder):
    """Workers that are ready, and rows of those that will not be."""
    workers, rows = [], []
    for contestant in contestants:
        print(f"  preparing {contestant.name}, {contestant.precision}", file=sys.stderr)
        worker = Worker(contestant, job, options, folder)
        row = {"contestant": contestant.name, "precision": contestant.precision, "remark": ""}
        rows.append(row)
        try:
            row["compile_seconds"] = worker.answer(LONGEST_COMPILATION)["compile_seconds"]
            workers.append((worker, row))
        except Failure as failure:
            row["remark"] = str(failure)
    return workers, rows


def made_in_turns(workers, options):
    """What each worker made in its rounds, by its id; one that failed takes no further turn."""
    made = {id(worker): [] for worker, _ in workers}
    for seed in range(options.seed, options.seed + options.rounds):
        for worker, row in workers:
            if row["remark"]:
                continue
            try:
                made[id(worker)].append(worker.make(seed, 3 * options.limit + 60))
            except Failure as failure:
                row["remark"] = str(failure)
            print(f"  seed {seed}: {row['contestant']}, {row['precision']} {row['remark']}", file=sys.stderr)
    return made


def joined(rounds):
    """All draws of each chain; of the first round alone if another has fewer chains."""
    return np.concatenate(rounds, axis=1) if len({len(values) for values in rounds}) == 1 else rounds[0]


def fixed_contest(chains, options, folder):
    """One row per contestant; contestants take turns, and rates are medians over the rounds."""
    problem = make_problem(FIXED_TARGET, options.data)
    starts_file = folder / f"starts_{chains}.npy"
    np.save(starts_file, mixture_starts(chains, options.seed))
    job = job_of(problem, options, "fixed", starts_file, chains=chains, draws=options.draws or 200, warmup=0)
    workers, rows = prepared_workers(chosen(FIXED, options), job, options, folder)
    made = made_in_turns(workers, options)
    for worker, row in workers:
        rounds = made[id(worker)]
        worker.close()
        if not rounds:
            continue
        counts = [leapfrogs for _, _, leapfrogs in rounds]
        rates = sorted(count.sum() / answer["seconds"] for (answer, _, _), count in zip(rounds, counts))
        together = joined(counts)
        row |= {
            "draws": int(counts[0].shape[1]),
            "chains": int(counts[0].shape[0]),
            "rounds": len(rounds),
            "seconds": float(np.median([answer["seconds"] for answer, _, _ in rounds])),
            "share_of_cores": float(np.median([answer["share"] for answer, _, _ in rounds])),
            "gradients_per_second": float(np.median(rates)),
            "slowest_and_fastest_round": [float(rates[0]), float(rates[-1])],
            "draws_per_second": float(np.median([c.size / a["seconds"] for (a, _, _), c in zip(rounds, counts)])),
            "leapfrogs_per_draw": float(together.mean()),
            "waiting_ratio": float(together.max(axis=0).mean() / together.mean()),
            "remark": rounds[0][0]["note"],
        }
        scores = known.scores(problem, joined([draws for _, draws, _ in rounds]), options.data)
        if row["contestant"] != "Stan":  # its criterion is another and its trajectories are shorter
            scores["leapfrogs of a draw"] = known.leapfrog_score(together)
        check(row, scores)
    return rows


def whole_contest(name, options, folder):
    problem = make_problem(name, options.data)
    starts_file = folder / f"starts_{name}.npy"
    chains, draws = options.chains or 128, options.draws or 1000
    np.save(starts_file, uniform_starts(chains, problem.dimension, options.seed))
    job = job_of(problem, options, "whole", starts_file, chains=chains, draws=draws, warmup=options.warmup or 1000)
    rows = []
    for contestant in chosen(WHOLE, options):
        workers, (row,) = prepared_workers([contestant], job, options, folder)
        rows.append(row)
        if not workers:
            continue
        worker = workers[0][0]
        try:
            # Stan and nutpie look at the clock themselves, between chains, and keep what they have.
            slack = 3 if contestant.module in ("stan_nuts", "nutpie_nuts") else 1
            answer, values, leapfrogs = worker.make(options.seed, slack * options.limit)
        except Failure as failure:
            row["remark"] = str(failure)
            continue
        finally:
            worker.close()
        compiling = row["compile_seconds"] + answer["compile_seconds"]
        smallest = min(float(arviz.ess(values[:, :, i].astype(float), method="bulk")) for i in range(problem.dimension))
        row |= {
            "chains": len(values),
            "draws": values.shape[1],
            "compile_seconds": compiling,
            "seconds": answer["seconds"],
            "share_of_cores": answer["share"],
            "min_ess": smallest,
            "min_ess_per_second": smallest / answer["seconds"],
            "min_ess_per_second_with_compilation": smallest / (answer["seconds"] + compiling),
            "leapfrogs_per_draw": None if leapfrogs is None else float(leapfrogs.mean()),
            "min_ess_per_gradient": None if leapfrogs is None else smallest / float(leapfrogs.mean()) / values[..., 0].size,
            "remark": answer["note"],
        }
        check(row, known.scores(problem, values, options.data))
        print(f"    {row}", file=sys.stderr)
    return rows


def chosen(contestants, options):
    return [c for c in contestants if not options.contestants or c.module.removesuffix("_nuts") in options.contestants]


def ranked(rows, key):
    """The best first; what is wrong or has no result is listed last and has no place."""
    return sorted(rows, key=lambda row: (row.get("is_wrong", False), key not in row, -row.get(key, 0)))


def shown_share(row):
    """The share of its cores that a contestant got: below about 95 %, others disturbed it."""
    return f"{100 * row['share_of_cores']:.0f} %" if "share_of_cores" in row else "-"


def fixed_table(chains, rows):
    ours = {row["precision"]: row for row in rows if row["contestant"] == "breakstep" and not row.get("is_wrong", True)}

    def lines(precision):
        for row in ranked([r for r in rows if r["precision"] == precision], "gradients_per_second"):
            rate, own = row.get("gradients_per_second"), ours.get(precision, {}).get("gradients_per_second")
            ratio = f"{own / rate:.2f}" if rate and own and not row.get("is_wrong") else "-"
            effort = [row.get("compile_seconds"), row.get("seconds"), shown_share(row)]
            speed = [rate, row.get("draws_per_second"), row.get("waiting_ratio"), ratio]
            yield [row["contestant"], precision, *effort, *speed, row.get("worst_z"), row["remark"]]

    columns = ["contestant", "precision", "compile s", "s", "core", "gradients/s", "draws/s", "R(m)", "breakstep is x"]
    title = f"Fixed parameters: {FIXED_TARGET}, {chains} chains"
    return render(title, columns + ["worst z", "remark"], [*lines("single"), *lines("double")])


def whole_table(name, rows):
    columns = ["contestant", "precision", "compile s", "s", "core", "min ESS", "min ESS/s", "with compiling"]
    columns += ["leapfrogs/draw", "ESS/gradient", "worst z"]
    keys = ["min_ess", "min_ess_per_second", "min_ess_per_second_with_compilation", "leapfrogs_per_draw"]
    keys += ["min_ess_per_gradient", "worst_z", "remark"]
    lines = [
        [row["contestant"], row["precision"], row.get("compile_seconds"), row.get("seconds"), shown_share(row)]
        + [row.get(key) for key in keys]
        for row in ranked(rows, "min_ess_per_second")
    ]
    return render(f"From scratch: {name}", [*columns, "remark"], lines)


def parse(arguments):
    parser = argparse.ArgumentParser(prog="tools/peers", description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=CONTESTS, help="one contest instead of all")
    parser.add_argument(
        "--targets",
        nargs="+",
        choices=sorted({*WHOLE_TARGETS, *MANY_TARGETS}),
        help="of the contests whole and many; default: all",
    )
    parser.add_argument(
        "--contestants",
        nargs="+",
        choices=["breakstep", "freed", "blackjax", "numpyro", "stan", "nutpie", "vmapped", "transport"],
        help="default: all",
    )
    chains = "default: 100 and 512 with fixed parameters, 128 from scratch, 1024 slices"
    parser.add_argument("--chains", type=int, help=chains)
    parser.add_argument("--draws", type=int, help="default: 200 with fixed parameters, 1000 from scratch")
    parser.add_argument("--warmup", type=int, help="default: 1000 of the whole contest, 400 of many")
    parser.add_argument("--rounds", type=int, default=3, help="of the contests fixed and slices")
    parser.add_argument("--cores", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=120, help="seconds for a contestant, without compiling")
    parser.add_argument(
        "--clock",
        choices=["wall", "cpu"],
        default="wall",
        help="cpu: seconds times the share of the cores that the contestant got, for machines that others use, too",
    )
    parser.add_argument("--near", action="store_true", help="many: chains start near the means on every target")
    parser.add_argument("--broken", action="store_true", help="many: contestants take part that are wrong on purpose")
    parser.add_argument("--quick", action="store_true", help="small sizes: minutes instead of an hour")
    parser.add_argument("--data", type=pathlib.Path, default=PROJECT.parent / "shared" / "data")
    parser.add_argument("--json", type=pathlib.Path, default=PROJECT / "build" / "peers" / "results.json")
    options = parser.parse_args(arguments)
    if options.quick:
        options.chains, options.draws = options.chains or 32, options.draws or 200
        options.warmup, options.rounds, options.limit = min(options.warmup or 300, 300), 1, min(options.limit, 30)
        options.targets = options.targets or WHOLE_TARGETS[:1]
    return options


def conditions(options):
    flags = pathlib.Path("/proc/cpuinfo").read_text()
    packages = ["jax", "blackjax", "numpyro", "nutpie", "httpstan", "arviz", "numpy"]
    return {
        "instruction_set": "AVX-512" if "avx512f" in flags else "AVX2",
        "cores": options.cores,
        "clock": options.clock,
        "python": platform.python_version(),
        **{package: importlib.metadata.version(package) for package in packages},
    }


def main():
    options = parse(sys.argv[1:])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    from slices import slices_contest, slices_table  # it imports this file

    results = {"conditions": conditions(options), **{contest: {} for contest in CONTESTS}}
    options.json.parent.mkdir(parents=True, exist_ok=True)
    # Quick sizes tell nothing about slices and many: too few draws to judge them.
    held = [options.only] if options.only else CONTESTS[:2] if options.quick else CONTESTS

    def report(contest, name, rows, text):
        results[contest][name] = rows
        print(text + "\n", flush=True)
        options.json.write_text(json.dumps(results, indent=1) + "\n")

    def wanted(names):
        return [name for name in names if not options.targets or name in options.targets]

    def has_data(contest, name):
        if name in NEEDS_NO_DATA or options.data.is_dir():
            return True
        print(f"{contest}: {name} is left out (its data and known answers are not there)\n")
        return False

    with tempfile.TemporaryDirectory(dir=options.json.parent) as folder:
        folder = pathlib.Path(folder)
        if "fixed" in held:
            for chains in [options.chains] if options.chains else [100, 512]:
                rows = fixed_contest(chains, options, folder)
                report("fixed", str(chains), rows, fixed_table(chains, rows))
        if "whole" in held:
            for name in wanted(WHOLE_TARGETS):
                if has_data("whole", name):
                    rows = whole_contest(name, options, folder)
                    report("whole", name, rows, whole_table(name, rows))
        if "slices" in held and has_data("slices", "real estate"):
            for name, rows in slices_contest(options, folder):
                report("slices", name, rows, slices_table(name, rows))
        if "many" in held:
            for name in wanted(MANY_TARGETS):
                if has_data("many", name):
                    rows = many_contest(name, options, folder)
                    report("many", name, rows, many_table(name, rows))
    print(f"Everything measured: {options.json}")


if __name__ == "__main__":
    main()
