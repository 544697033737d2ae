"""Known answers: what the draws of each target must agree with."""
import json
import math
import pathlib

import numpy as np

from moments import deviation_error, kurtosis, z_score
from problem import SCHOOLS


# Of NUTS with checks of every sub-tree, from test/sampler/nuts_references.hpp: what a trajectory of the mixture at step
# 0.0316 takes, and its error. Whoever takes more would seem to make more gradients, and they would be of no use.
LEAPFROGS = (12.0195, 0.177)


def leapfrog_score(leapfrogs):
    return z_score(leapfrogs.mean(axis=1).tolist(), *LEAPFROGS)


def _mixture_quantities(draws):
    mean = draws.mean(axis=2)
    spread = draws[:, :, 0] - mean
    return {
        "mean of the coordinates": (mean, 0.0, 0.0),
        "its size": (np.abs(mean), 5.0, 0.0),
        "its square": (mean**2, 25 + 0.49505, 0.0),
        "variance of the coordinates": (draws.var(axis=2, ddof=1), 0.005, 0.0),
        "square of x[0]": (draws[:, :, 0] ** 2, 25.5, 0.0),
        "square of x[0] less the mean": (spread**2, 0.00495, 0.0),
    }


def _moments_of_schools():
    """Means and standard deviations by quadrature over log tau; given tau everything is normal."""
    y, s = np.array(SCHOOLS["effect"]), np.array(SCHOOLS["error"])
    u = np.linspace(-25, 8, 40001)[:, None]
    tau2 = np.exp(2 * u)
    precision = 1 / (s**2 + tau2)
    mu_variance = 1 / (precision.sum(axis=1) + 1 / 25)
    mu_mean = mu_variance * (precision * y).sum(axis=1)
    log_weight = 0.5 * np.log(precision).sum(axis=1) + 0.5 * np.log(mu_variance) + 0.5 * mu_mean**2 / mu_variance
    log_weight += -0.5 * (precision * y**2).sum(axis=1) + u[:, 0] - np.log1p(tau2[:, 0] / 25)
    weight = np.exp(log_weight - log_weight.max())
    weight /= weight.sum()
    slope = np.exp(u) * precision  # of the standardised effect in y - mu
    effect_mean = slope * (y - mu_mean[:, None])
    effect_square = s**2 * precision + slope**2 * mu_variance[:, None] + effect_mean**2
    means = np.concatenate([weight @ effect_mean, [weight @ mu_mean, weight @ u[:, 0]]])
    squares = np.concatenate([weight @ effect_square, [weight @ (mu_variance + mu_mean**2), weight @ u[:, 0] ** 2]])
    return means, np.sqrt(squares - means**2)


def _schools_quantities(draws):
    means, deviations = _moments_of_schools()
    names = [f"effect {i}" for i in range(8)] + ["mu", "log tau"]
    return _means_and_squares(draws, names, means, deviations, np.zeros(10), np.zeros(10))


def _reference_quantities(draws, reference):
    quantities = list(reference["quantities"].items())[: draws.shape[2]]
    column = {key: np.array([row[key] for _, row in quantities]) for key in ("mean", "sd", "mcse_mean", "mcse_sd")}
    sizes = np.array([row.get("ess") or math.inf for _, row in quantities])
    flat = draws.reshape(-1, draws.shape[2])
    errors = [
        deviation_error(error, sd, size, kurtosis(flat[:, i]))
        for i, (error, sd, size) in enumerate(zip(column["mcse_sd"], column["sd"], sizes))
    ]
    names = [name for name, _ in quantities]
    return _means_and_squares(draws, names, column["mean"], column["sd"], column["mcse_mean"], np.array(errors))


def _means_and_squares(draws, names, means, deviations, mean_errors, deviation_errors):
    result = {}
    for i, name in enumerate(names):
        x = draws[:, :, i]
        result[f"mean of {name}"] = (x, means[i], mean_errors[i])
        error = 2 * deviations[i] * deviation_errors[i]
        result[f"variance of {name}"] = ((x - means[i]) ** 2, deviations[i] ** 2, error)
    return result


def scores(problem, draws, data_folder):
    """z by name of quantity. `draws` has chains, draws, coordinates; chains must be independent of each other."""
    draws = np.asarray(draws, dtype=np.float64)
    if problem.reference is not None:
        references = json.loads((pathlib.Path(data_folder) / "references.json").read_text())
        quantities = _reference_quantities(draws, references[problem.reference])
    else:
        make = _mixture_quantities if problem.name == "mixture_code_dense" else _schools_quantities
        quantities = make(draws)
    return {
        name: z_score(values.mean(axis=1).tolist(), expected, error)
        for name, (values, expected, error) in quantities.items()
    }
