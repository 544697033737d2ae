"""The contest of slices: samplers with one loop, breakstep beside the same in JAX, on one core in single precision.

Delayed rejection on N(0,1) and elliptical slice sampling of a Gaussian process's parameters, the paper's first two
experiments. Everybody runs the same kernel from the same starts, so draws per second can be compared.
"""
import dataclasses
import functools
import pathlib

import numpy as np

import known
from contest import Contestant, check, job_of, joined, made_in_turns, prepared_workers, ranked, shown_share
from moments import z_score
from problem import Problem
from table import render

POINTS = 100  # rows of the real-estate data
MAX_TRIES = {"delayed_rejection": 100, "elliptical_slice": 200}  # breakstep's defaults
WARMUP = 200  # draws of the Gaussian process that nobody is timed for; N(0,1) is started from exact draws


class SliceContestant(Contestant):
    @property
    def uses_jax(self):
        return self.module != "breakstep_slices"


@dataclasses.dataclass(frozen=True)
class SliceJob:
    name: str
    sampler: str
    problem: Problem
    draws: int
    warmup: int
    lockstep_name: str
    arguments: list  # of breakstep
    settings: dict  # of the others

    @property
    def contestants(self):
        return [
            SliceContestant("breakstep", "breakstep_slices", "single", {"schedule": "free"}),
            SliceContestant("breakstep in lock-step", "breakstep_slices", "single", {"schedule": "lockstep"}),
            SliceContestant("the paper's method in JAX", "freed_slices", "single"),
            SliceContestant(self.lockstep_name, "vmapped_slices", "single"),
        ]


def _delayed_rejection(scale):
    arguments = ["--dimension", 1, "--set", f"scale={scale:.9g}"]
    normal = Problem("standard_normal", 1, {})
    name = f"delayed rejection on N(0,1), proposals of sd {scale:.3g}"
    return SliceJob(name, "delayed_rejection", normal, 10000, 0, "while loop, vmap", arguments, {"scale": scale})


def slice_jobs(data_folder):
    yield _delayed_rejection(0.1**0.5)  # the paper's text
    yield _delayed_rejection(0.01)  # the authors' code
    file = str(data_folder / "real_estate.csv")
    if not pathlib.Path(file).exists():
        print("Slices: the Gaussian process is left out (its data and known answers are not there)\n")
        return
    process = Problem("gp_regression", 3, {}, file, f"gp_code_n{POINTS}")
    name = f"elliptical slice on the real-estate Gaussian process, n = {POINTS}"
    arguments = ["--points", POINTS, "--data", file]
    yield SliceJob(name, "elliptical_slice", process, 100, WARMUP, "BlackJAX, vmap", arguments, {"points": POINTS})


@functools.cache
def tries_and_moves(scale, max_tries, count=1_000_000):
    """How many tries a draw from N(0,1) takes and the square of its move, `count` times.

    By another route than the samplers': the tries' chances of rejection multiply to max(0, 1 - p* / p(x)), so a draw is
    a walk from x until its density exceeds a level that is uniform below p(x).
    """
    random = np.random.default_rng(1)
    x = random.standard_normal(count)
    half_width = np.sqrt(x**2 + 2 * random.standard_exponential(count))  # of where the density exceeds the level
    tries, moves, y, waiting = np.full(count, max_tries), np.zeros(count), x.copy(), np.arange(count)
    for k in range(1, max_tries + 1):
        y[waiting] += scale * random.standard_normal(len(waiting))
        is_in = np.abs(y[waiting]) < half_width[waiting]
        arrived, waiting = waiting[is_in], waiting[~is_in]
        tries[arrived], moves[arrived] = k, (y[arrived] - x[arrived]) ** 2
    return tries, moves


def _delayed_rejection_scores(job, rounds, counts):
    """Moments alone would say nothing of proposals so small that the chains hardly leave their starts."""
    draws = [made.astype(np.float64) for _, made, _ in rounds]
    x, moves = joined(draws)[:, :, 0], joined([np.diff(made[:, :, 0], axis=1) ** 2 for made in draws])
    tries, known_moves = tries_and_moves(job.settings["scale"], MAX_TRIES[job.sampler])
    # Long searches are rare: in a short run the chains' means may agree by missing them all, so the error is no less
    # than that of independent draws; and no more than that of one draw per chain, if only the sum is known.
    independent = counts.size if has_counts_of_draws(counts) else len(counts)
    error = (tries.var() * (1 / len(tries) + 1 / independent)) ** 0.5
    return {
        "mean of x": z_score(x.mean(axis=1).tolist(), 0.0),
        "variance of x": z_score((x**2).mean(axis=1).tolist(), 1.0),
        "square of a move": z_score(
            moves.mean(axis=1).tolist(), known_moves.mean(), known_moves.std() / len(known_moves) ** 0.5
        ),
        "tries of a draw": z_score(counts.mean(axis=1).tolist(), tries.mean(), error),
    }


def has_counts_of_draws(counts):
    """Of breakstep only the sum is known."""
    return not np.issubdtype(counts.dtype, np.floating)


def _measured(job, rounds, options):
    """What a row says of a contestant's rounds, with the verdict on its draws."""
    counts = joined([count for _, _, count in rounds])
    rates = sorted(count.size / answer["seconds"] for answer, _, count in rounds)
    row = {
        "draws": int(rounds[0][2].shape[1]),
        "chains": len(counts),
        "rounds": len(rounds),
        "seconds": float(np.median([answer["seconds"] for answer, _, _ in rounds])),
        "share_of_cores": float(np.median([answer["share"] for answer, _, _ in rounds])),
        "draws_per_second": float(np.median(rates)),
        "slowest_and_fastest_round": [float(rates[0]), float(rates[-1])],
        "evaluations_per_second": float(np.median([c.sum() / answer["seconds"] for answer, _, c in rounds])),
        "evaluations_per_draw": float(counts.mean()),
        "remark": rounds[0][0]["note"],
    }
    if has_counts_of_draws(counts):
        row["waiting_ratio"] = float(counts.max(axis=0).mean() / counts.mean())
    if job.sampler == "delayed_rejection":
        scores = _delayed_rejection_scores(job, rounds, counts)
    else:
        scores = known.scores(job.problem, joined([draws for _, draws, _ in rounds]), options.data)
    check(row, scores)
    return row


def _rows(job, options, folder):
    """One row per contestant; contestants take turns, and rates are medians over the rounds."""
    chains, d = options.chains or 1024, job.problem.dimension
    starts_file = folder / f"starts_{job.sampler}.npy"
    np.save(starts_file, np.random.default_rng(options.seed).standard_normal((chains, d)))
    sizes = {"chains": chains, "draws": options.draws or job.draws, "warmup": job.warmup, "dimension": d}
    sizes |= {"sampler": job.sampler, "max_tries": MAX_TRIES[job.sampler], "arguments": job.arguments, **job.settings}
    contestants = [
        contestant
        for contestant in job.contestants
        if not options.contestants or contestant.module.removesuffix("_slices") in options.contestants
    ]
    asked = job_of(job.problem, options, "slices", starts_file, **sizes)
    workers, rows = prepared_workers(contestants, asked, options, folder)
    made = made_in_turns(workers, options)
    for worker, row in workers:
        worker.close()
        if made[id(worker)]:
            row |= _measured(job, made[id(worker)], options)
    return rows


def slices_contest(options, folder):
    """Pairs of a job's name and its rows, each as soon as it is measured."""
    for job in slice_jobs(options.data):
        yield job.name, _rows(job, options, folder)


def slices_table(name, rows):
    right = [row for row in rows if not row.get("is_wrong", True)]
    ours = [row["draws_per_second"] for row in right if row["contestant"] == "breakstep"]

    def lines():
        for row in ranked(rows, "draws_per_second"):
            rate = row.get("draws_per_second")
            ratio = f"{ours[0] / rate:.2f}" if rate and ours and not row.get("is_wrong") else "-"
            effort = [row.get("compile_seconds"), row.get("seconds"), shown_share(row)]
            speed = [rate, row.get("evaluations_per_second"), row.get("waiting_ratio"), ratio]
            yield [row["contestant"], *effort, *speed, row.get("worst_z"), row["remark"]]

    columns = ["contestant", "compile s", "s", "core", "draws/s", "evaluations/s", "R(m)", "breakstep is x", "worst z"]
    return render(f"Slices: {name}", [*columns, "remark"], list(lines()))
