"""The contest of many chains: MEADS, ChEES and transport slice on four posteriors of the paper.

Everybody has the same starts, draws of warm-up and single precision, and a warm-up of its own. What counts are the
smallest and the mean effective sample size per second of drawing; warm-up and compilation have columns of their own.
"""
import dataclasses
import json
import math
import sys

import numpy as np

import known
from many_densities import make_many_problem, make_starts
from table import render

CHAINS, WARM_UP, DRAWS = 128, 400, 1000


@dataclasses.dataclass(frozen=True)
class ManyContestant:
    name: str
    family: str  # what --contestants calls it
    module: str
    settings: dict
    precision: str = "single"

    @property
    def uses_jax(self):
        return self.module == "jax_many"


def _transport(name, **settings):
    return ManyContestant(name, "transport", "jax_many", {"sampler": "transport_slice", **settings})


MANY = [
    ManyContestant("breakstep MEADS", "breakstep", "breakstep_many", {"sampler": "meads"}),
    ManyContestant("breakstep ChEES", "breakstep", "breakstep_many", {"sampler": "chees"}),
    ManyContestant("breakstep transport slice", "breakstep", "breakstep_many", {"sampler": "transport_slice"}),
    ManyContestant("BlackJAX MEADS", "blackjax", "jax_many", {"sampler": "meads"}),
    ManyContestant("BlackJAX ChEES", "blackjax", "jax_many", {"sampler": "chees", "metric": None}),
    ManyContestant("BlackJAX ChEES, diagonal", "blackjax", "jax_many", {"sampler": "chees", "metric": "diagonal"}),
    _transport("transport slice in JAX, vmap", schedule="lockstep"),
    _transport("transport slice in JAX, the paper's method", schedule="free"),
]
# Never part of the contest: shows that a wrong answer is noticed.
BROKEN = [
    _transport("vmap, broken on purpose", schedule="lockstep", flaw="determinant"),
    _transport("the paper's method, broken on purpose", schedule="free", flaw="determinant"),
]


def _harness():
    """contest.py, which imports this file."""
    import contest

    return contest


def _chosen(options):
    wanted = [c for c in MANY if not options.contestants or c.family in options.contestants]
    return wanted + (BROKEN if options.broken else [])


def _sizes(options):
    return {"chains": options.chains or CHAINS, "warmup": options.warmup or WARM_UP, "draws": options.draws or DRAWS}


def _effective_sizes(values):
    import arviz

    return [float(arviz.ess(values[:, :, i].astype(float), method="bulk")) for i in range(values.shape[2])]


def _waiting_ratio(evaluations):
    """E max N / E N: how much longer draws take if every chain waits for the last one; needs counts of each draw."""
    if evaluations.dtype.kind != "i":
        return None
    return float(evaluations.max(axis=0).mean() / evaluations.mean())


def _result(answer, facts, values, evaluations, options):
    """What was measured; with --clock cpu, seconds are those that the contestant would have taken alone."""

    def seconds(phase):
        return phase["seconds"] * (phase.get("share", answer["share"]) if options.clock == "cpu" else 1)

    drawing = seconds(facts["draws"])
    result = {
        "chains": len(values),
        "draws": values.shape[1],
        "warm_up_seconds": seconds(facts["warm_up"]),
        "seconds": drawing,
        "share_of_cores": facts["draws"].get("share", answer["share"]),
        "evaluations_per_draw": float(evaluations.mean()),
        "waiting_ratio": _waiting_ratio(evaluations),
        "remark": answer["note"],
    }
    lost = int((~np.isfinite(values).all(axis=(1, 2))).sum())
    unmoved = int((values == values[:, :1]).all(axis=(1, 2)).sum())
    for count, what in ((lost, "were not finite"), (unmoved, "never moved")):
        if count > 0:
            remarks = [result["remark"], f"{count} of {len(values)} chains {what}"]
            result["remark"] = "; ".join(filter(None, remarks))
    if lost > 0:
        return result
    sizes = _effective_sizes(values)
    if all(map(math.isfinite, sizes)):
        result |= {"min_ess": min(sizes), "mean_ess": sum(sizes) / len(sizes)}
        result |= {key + "_per_second": result[key] / drawing for key in ("min_ess", "mean_ess")}
    return result


def many_contest(name, options, folder):
    """One row per contestant. `options` are those of contest.py; chains, warmup and draws may be left open there."""
    harness, problem = _harness(), make_many_problem(name, options.data)
    sizes, starts_file = _sizes(options), folder / f"many_starts_{name}.npy"
    np.save(starts_file, make_starts(problem, sizes["chains"], options.seed, options.data, options.near))
    job = harness.job_of(problem, options, "many", starts_file, **sizes)
    rows = []
    for contestant in _chosen(options):
        workers, (row,) = harness.prepared_workers([contestant], job, options, folder)
        rows.append(row)
        if not workers:
            continue
        worker = workers[0][0]
        try:
            # The limit is that of drawing, where the contestants in JAX keep what they have.
            answer, values, evaluations = worker.make(options.seed, 4 * options.limit + 60)
            facts = json.loads((worker.folder / "facts.json").read_text())
        except harness.Failure as failure:
            row["remark"] = str(failure)
            continue
        finally:
            worker.close()
        row["compile_seconds"] += answer["compile_seconds"]
        row |= _result(answer, facts, values, evaluations, options)
        harness.check(row, known.scores(problem, values, options.data))
        print(f"    {row}", file=sys.stderr)
    return rows


def many_table(name, rows):
    """Whoever is wrong is listed last, with why and without rates."""
    harness = _harness()
    columns = ["contestant", "compile s", "warm-up s", "s", "core", "min ESS", "min ESS/s", "mean ESS/s"]
    columns += ["evaluations/draw", "R(m)", "worst z", "remark"]
    rates = ["min_ess", "min_ess_per_second", "mean_ess_per_second"]

    def line(row):
        times = [row.get(key) for key in ("compile_seconds", "warm_up_seconds", "seconds")]
        worth = [None if row.get("is_wrong") else row.get(key) for key in rates]
        work = [row.get(key) for key in ("evaluations_per_draw", "waiting_ratio", "worst_z")]
        return [row["contestant"], *times, harness.shown_share(row), *worth, *work, row["remark"]]

    title = f"Many chains: {name}, single precision"
    return render(title, columns, [line(row) for row in harness.ranked(rows, "min_ess_per_second")])
