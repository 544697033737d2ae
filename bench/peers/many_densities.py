"""What the contest of many chains samples: two targets more than problem.py and densities.py have, and its starts."""
import json
import math
import pathlib

import numpy as np

import problem as problems
from problem import Problem, uniform_starts

MANY_TARGETS = ["predator_prey", "google_stock", "german_credit", "bod_stdnormal_prior"]
_STARTS_NEAR_THE_MEANS = ("predator_prey", "bod_stdnormal_prior")  # elsewhere lower modes would trap chains


def _columns(path):
    return np.genfromtxt(path, delimiter=",", names=True)


def make_many_problem(name, folder):
    folder = pathlib.Path(folder)
    if name == "bod_stdnormal_prior":
        path = folder / "bod.csv"
        table = _columns(path)
        return Problem(name, 2, {"t": table["t"], "y": table["obs"]}, str(path), "bod_stdnormal_prior")
    if name == "predator_prey":
        path = folder / "lynx_hare.csv"
        table = _columns(path)
        logs = np.log(np.stack([table["hare"], table["lynx"]], axis=1))
        return Problem(name, 8, {"log_counts": logs}, str(path), "pp_intended_rk4")
    return problems.make_problem(name, folder)


def make_starts(problem, chains, seed, folder, near=False):
    """Uniform; or, if `near`, within hundredths of a standard deviation of the means, as in breakstep's own tests."""
    if near or problem.name in _STARTS_NEAR_THE_MEANS:
        return _starts_near_the_means(problem, chains, seed, folder)
    candidates = uniform_starts(4 * chains, problem.dimension, seed)
    return candidates[_are_usable(problem, candidates)][:chains]


def _starts_near_the_means(problem, chains, seed, folder):
    references = json.loads((pathlib.Path(folder) / "references.json").read_text())[problem.reference]["quantities"]
    rows = list(references.values())[: problem.dimension]
    mean, sd = (np.array([row[key] for row in rows]) for key in ("mean", "sd"))
    return mean + 0.02 * sd * np.random.default_rng(seed).standard_normal((chains, problem.dimension))


def _are_usable(problem, starts):
    """Whether density and gradient are finite in single precision; breakstep and Stan draw other starts anew, too.

    On Google stock 4 of 128 are not, and one of them is enough to make BlackJAX's MEADS stand still.
    """
    import jax

    values, gradients = jax.vmap(jax.value_and_grad(make_many_log_density(problem)))(starts.astype(np.float32))
    return np.isfinite(values) & np.isfinite(gradients).all(axis=1)


def _oxygen_demand(data):
    import jax.numpy as jnp

    t, y = jnp.asarray(data["t"]), jnp.asarray(data["y"])

    def log_density(x):
        return -jnp.sum((x[0] * (1 - jnp.exp(-x[1] * t)) - y) ** 2) / 4e-4 - 0.5 * jnp.sum(x**2)

    return log_density


def _predator_prey(data):
    import jax
    import jax.numpy as jnp

    log_counts = jnp.asarray(data["log_counts"])
    means, deviations = jnp.array([1, 0.05, 1, 0.05]), jnp.array([0.5, 0.05, 0.5, 0.05])
    years, parts, h = len(data["log_counts"]) - 1, 20, 0.05

    def log_density(x):
        """Logarithms of both sigmas, alpha, beta, gamma, delta, prey and predators at first."""
        rates = jnp.exp(x[2:6])
        alpha, beta, gamma, delta = rates

        def slope(state):
            u, v = state
            return (alpha - beta * v) * u, (delta * u - gamma) * v

        def moved(state, by, slopes):
            return tuple(value + by * s for value, s in zip(state, slopes))

        def part(state, _):
            first = slope(state)
            second = slope(moved(state, h / 2, first))
            third = slope(moved(state, h / 2, second))
            fourth = slope(moved(state, h, third))
            total = (a + 2 * b + 2 * c + e for a, b, c, e in zip(first, second, third, fourth))
            return moved(state, h / 6, total), None

        # On the way back a part is computed anew instead of kept: three times as fast.
        part = jax.checkpoint(part, prevent_cse=False)

        def year(state, _):
            after = jax.lax.scan(part, state, length=parts)[0]
            return after, after

        begin = (jnp.exp(x[6]), jnp.exp(x[7]))
        later = jnp.stack(jax.lax.scan(year, begin, length=years)[1], axis=1)
        states = jnp.concatenate([jnp.stack(begin)[None], later])
        residuals = (log_counts - jnp.log(jnp.maximum(states, 1e-6))) * jnp.exp(-x[:2])
        prior = -0.5 * jnp.sum((x[:2] + 1) ** 2) - 0.5 * jnp.sum((x[6:] - math.log(10)) ** 2)
        prior += jnp.sum(x[2:6] - 0.5 * ((rates - means) / deviations) ** 2)
        return prior - (years + 1) * jnp.sum(x[:2]) - 0.5 * jnp.sum(residuals**2)

    return log_density


def make_many_log_density(problem):
    if problem.name == "bod_stdnormal_prior":
        return _oxygen_demand(problem.data)
    if problem.name == "predator_prey":
        return _predator_prey(problem.data)
    from densities import make_log_density

    return make_log_density(problem)
