"""What is sampled: dimensions and data of the targets of docs/peers.md, and where chains start."""
import csv
import dataclasses
import pathlib

import numpy as np

SCHOOLS = {"effect": [28.0, 8, -3, 7, -1, 1, 18, 12], "error": [15.0, 10, 16, 11, 9, 11, 10, 18]}
CORRELATION = 0.99


@dataclasses.dataclass(frozen=True)
class Problem:
    name: str  # breakstep's name of the target
    dimension: int
    data: dict  # what the Stan program of the same name takes
    file: str | None = None  # what breakstep takes as --data
    reference: str | None = None  # key in references.json


def _columns(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}


def _mixture(_):
    d = 100
    within, along = 1 - CORRELATION, 1 - CORRELATION + d * CORRELATION
    inverse = np.eye(d) / within - CORRELATION / (within * along)
    return Problem("mixture_code_dense", d, {"d": d, "inverse_covariance": inverse, "along": along})


def _eight_schools(_):
    return Problem("eight_schools_noncentred", 10, {name: np.array(row) for name, row in SCHOOLS.items()})


def _german_credit(folder):
    path = folder / "german_credit.csv"
    table = _columns(path)
    label = table.pop("label")
    raw = np.stack(list(table.values()), axis=1)
    low, high = raw.min(axis=0), raw.max(axis=0)
    features = np.concatenate([np.ones((len(raw), 1)), -1 + 2 * (raw - low) / (high - low)], axis=1)
    n, k = features.shape
    data = {"n": n, "k": k, "features": features, "y": (2 - label).astype(int)}
    return Problem("german_credit", 2 * k + 1, data, str(path), "gc_code")


def _google_stock(folder):
    path = folder / "google_stock.csv"
    y = 100 * _columns(path)["log_return"]
    return Problem("google_stock", 9, {"n": len(y), "y": y}, str(path), "gs_code")


def _pilots(folder):
    path = folder / "pilots.csv"
    table = _columns(path)
    ids = {name: table[name + "_id"].astype(int) for name in ("group", "scenario")}
    return Problem("pilots", 18, {"n": len(table["y"]), **ids, "y": table["y"]}, str(path), "pilots_stan")


_MAKERS = {
    "mixture_code_dense": _mixture,
    "eight_schools_noncentred": _eight_schools,
    "german_credit": _german_credit,
    "google_stock": _google_stock,
    "pilots": _pilots,
}
NEEDS_NO_DATA = ("mixture_code_dense", "eight_schools_noncentred")


def make_problem(name, folder):
    return _MAKERS[name](pathlib.Path(folder))


def mixture_starts(chains, seed):
    """Exact draws, half of the chains in each mode: N(+5, S/2) and N(-5, S/2), S = 0.01 I + 0.99 11'."""
    random = np.random.default_rng(seed)
    shared, own = random.standard_normal((chains, 1)), random.standard_normal((chains, 100))
    mode = np.where(np.arange(chains) % 2 == 0, 5.0, -5.0)[:, None]
    return mode + np.sqrt(0.5) * (np.sqrt(CORRELATION) * shared + np.sqrt(1 - CORRELATION) * own)


def uniform_starts(chains, dimension, seed):
    """Stan's: between -2 and 2 in every unconstrained coordinate."""
    return np.random.default_rng(seed).uniform(-2, 2, (chains, dimension))
