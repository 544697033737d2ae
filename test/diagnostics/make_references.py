"""Writes references.hpp: what ArviZ computes for the data sets of recipe.hpp, and quantiles by mpmath.

Usage: pip install arviz-stats numpy scipy mpmath; python make_references.py > references.hpp
arviz-stats is the package with which ArviZ 1.x computes its diagnostics. Take 1.3 or later: 0.8 gives another error of
the standard deviation (mcse_sd, by other moments), and everything else the same to the last digit.
"""
import math
import struct
import warnings

import arviz_stats
import mpmath
import numpy as np
import scipy
from arviz_stats.base import array_stats

# In the order of the members of Recipe. Every data set has its own seed, the number of its row.
FIELDS = ["chains", "draws", "phi", "shift", "growth", "trend", "location", "scale", "levels", "innovation", "special"]
DEFAULTS = dict(phi=0.0, shift=0.0, growth=0.0, trend=0.0, location=0.0, scale=1.0, levels=0.0, innovation="normal",
                special="none")
DATA_SETS = {
    "iid": dict(chains=4, draws=1000),
    "iid_many_chains": dict(chains=64, draws=100),
    "iid_power_of_two": dict(chains=3, draws=512),
    "positive": dict(chains=4, draws=1000, phi=0.9),
    "slow": dict(chains=4, draws=1000, phi=0.99),
    "random_walk": dict(chains=4, draws=500, phi=1.0),
    "negative": dict(chains=4, draws=1000, phi=-0.5),
    "strongly_negative": dict(chains=2, draws=999, phi=-0.95),
    "different_means": dict(chains=4, draws=400, phi=0.3, shift=0.5),
    "different_scales": dict(chains=4, draws=400, phi=0.3, growth=1.0),
    "trend": dict(chains=4, draws=400, trend=0.01),
    "heavy_tails": dict(chains=4, draws=1000, innovation="heavy"),
    "heavy_tails_positive": dict(chains=8, draws=301, phi=0.7, innovation="heavy"),
    "far_from_zero": dict(chains=4, draws=250, phi=0.5, location=1e6, scale=1e-3),
    "tiny": dict(chains=4, draws=250, phi=0.5, scale=1e-9),
    "huge": dict(chains=4, draws=250, phi=0.5, scale=1e50),
    "float": dict(chains=5, draws=333, phi=0.6, special="rounded_to_float"),
    "ties": dict(chains=4, draws=500, phi=0.5, levels=2.0),
    "many_ties_odd": dict(chains=3, draws=501, phi=0.5, levels=1.0),
    "binary": dict(chains=4, draws=300, phi=0.3, special="binary"),
    "constant": dict(chains=4, draws=100, special="constant"),
    "constant_odd": dict(chains=3, draws=25, special="constant"),
    "one_constant_chain": dict(chains=4, draws=200, phi=0.3, special="one_constant_chain"),
    "constant_chains": dict(chains=4, draws=128, special="constant_chains"),
    "nan": dict(chains=4, draws=100, special="one_nan"),
    "one_chain": dict(chains=1, draws=1000, phi=0.5),
    "one_chain_odd": dict(chains=1, draws=2001, phi=0.8),
    "one_short_chain": dict(chains=1, draws=4),
    "odd": dict(chains=4, draws=101, phi=0.5),
    "three_draws": dict(chains=4, draws=3),
    "four_draws": dict(chains=4, draws=4),
    "five_draws": dict(chains=4, draws=5),
    "six_draws": dict(chains=6, draws=6, phi=0.5),
    "eight_draws": dict(chains=6, draws=8, phi=0.5),
    "ten_draws": dict(chains=6, draws=10, phi=0.5),
    "twelve_draws": dict(chains=6, draws=12, phi=0.9),
    "many_short_chains": dict(chains=5000, draws=10, phi=0.7),
    "many_odd_chains": dict(chains=3000, draws=7, phi=-0.4),
    "chains_of_direct_length": dict(chains=7, draws=48, phi=0.8),
    "chains_of_fourier_length": dict(chains=7, draws=50, phi=0.8),
}
CONSTANT = 3.5


class Uniforms:
    """SplitMix64 (Steele, Lea and Flood 2014), as in recipe.hpp."""

    def __init__(self, seed):
        self.state = seed

    def __call__(self):
        mask = 2**64 - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        z ^= z >> 31
        return (z >> 11) * 2.0**-53


def make(seed, recipe):
    uniform = Uniforms(seed)
    data = np.empty((recipe["chains"], recipe["draws"]))
    for chain in range(recipe["chains"]):
        x = 0.0
        for draw in range(recipe["draws"]):
            if recipe["innovation"] == "normal":
                innovation = uniform() + uniform() + uniform() + uniform() - 2.0
            else:
                innovation = (uniform() - 0.5) / (uniform() + 2.0**-53)
            x = recipe["phi"] * x + innovation
            value = (1.0 + recipe["growth"] * chain) * x + recipe["shift"] * chain + recipe["trend"] * draw
            value = recipe["location"] + recipe["scale"] * value
            if recipe["levels"] > 0.0:
                value = math.floor(value * recipe["levels"])
            special = recipe["special"]
            if special == "rounded_to_float":
                value = float(np.float32(value))
            elif special == "binary":
                value = 1.0 if value > 0.5 else -1.0
            elif special == "constant" or (special == "one_constant_chain" and chain == 0):
                value = CONSTANT
            elif special == "constant_chains":
                value = float(chain)
            elif special == "one_nan" and chain == 1 and draw == 7:
                value = math.nan
            data[chain, draw] = value
    return data


def checksum(data):
    result = 0
    for value in data.ravel():
        result = (result * 1099511628211 ^ struct.unpack("<Q", struct.pack("<d", value))[0]) % 2**64
    return result


def quantities(data):
    axes = dict(chain_axis=0, draw_axis=1)
    ess = lambda method, **prob: array_stats.ess(data, method=method, **axes, **prob)
    mcse = lambda method, **prob: array_stats.mcse(data, method=method, **axes, **prob)
    return dict(
        mean=np.mean(data),
        sd=np.std(data, ddof=1),
        q5=np.quantile(data, 0.05),
        q50=np.quantile(data, 0.5),
        q95=np.quantile(data, 0.95),
        rhat=array_stats.rhat(data, method="rank", **axes),
        ess_bulk=ess("bulk"),
        ess_tail=ess("tail", prob=(0.05, 0.95)),
        ess_mean=ess("mean"),
        ess_sd=ess("sd"),
        ess_median=ess("quantile", prob=0.5),
        mcse_mean=mcse("mean"),
        mcse_sd=mcse("sd"),
        mcse_q5=mcse("quantile", prob=0.05),
        mcse_q50=mcse("quantile", prob=0.5),
        mcse_q95=mcse("quantile", prob=0.95),
    )


def energy_fractions(data):
    """E-BFMI of the first chains, as if the draws were energies. One chain at a time, or ArviZ drops an axis of one."""
    return [array_stats.bfmi(chain[None, :], chain_axis=0, draw_axis=1)[0] for chain in data[:6]]


def literal(value):
    value = float(value)
    if math.isnan(value):
        return "quiet_nan"
    return repr(value) if math.isfinite(value) else "infinity"


def normal_quantiles():
    for p in [1e-300, 1e-100, 1e-30, 1e-15, 1e-12, 1e-11, 1e-6, 0.001, 0.02, 0.05, 0.07, 0.075, 0.0751, 0.2, 0.3, 0.4, 0.499,
              0.4999999, 0.5, 0.6, 0.7, 0.9, 0.925, 0.926, 0.975, 0.99999, 1 - 2.0**-40, 1 - 2.0**-53]:
        p_exact = mpmath.mpf(p)
        # erfinv loses its argument's digits near 1, so tails are solved for by Newton's method on log Φ.
        x = mpmath.mpf(0) if p == 0.5 else mpmath.findroot(
            lambda x: mpmath.log(mpmath.ncdf(x) / p_exact), float(scipy.special.ndtri(p)))
        yield p, x


def beta_distribution(x, a, b):
    if a + b < 1000:
        return mpmath.betainc(a, b, 0, x, regularized=True)
    # For integers, the probability of at least a successes among a + b - 1.
    term = mpmath.exp(mpmath.loggamma(a + b) - mpmath.loggamma(a + 1) - mpmath.loggamma(b)) * x**a * (1 - x)**(b - 1)
    total = mpmath.mpf(0)
    for successes in range(int(a), int(a + b)):
        total += term
        term *= (a + b - 1 - successes) * x / ((successes + 1) * (1 - x))
        if term < total * mpmath.mpf(10)**-40:
            break
    return total


def beta_quantiles():
    for p, a, b in [(0.1586553, 1, 1), (0.8413447, 1, 5.5), (0.1586553, 1.2, 4.8), (0.8413447, 21, 381), (0.1586553, 201, 201),
                    (0.8413447, 951, 51), (0.1586553, 5001, 95001), (0.8413447, 5e4, 5e4), (0.5, 2, 3), (0.8413447, 3, 2e5),
                    (0.1586553, 2e5, 3)]:
        below = lambda x: beta_distribution(x, a, b) - mpmath.mpf(p)
        start = mpmath.mpf(float(scipy.stats.beta.ppf(p, a, b)))
        x = mpmath.findroot(below, (start, start * (1 + mpmath.mpf(10)**-10)))
        yield p, a, b, x


def main():
    warnings.simplefilter("ignore")
    mpmath.mp.dps = 50
    print(f"""// Reference values for the diagnostics, made by make_references.py with ArviZ (arviz-stats {arviz_stats.__version__}),
// NumPy {np.__version__}, SciPy {scipy.__version__} and mpmath {mpmath.__version__}.
#pragma once

#include "recipe.hpp"

// clang-format off
namespace diagnostics_test {{

inline const Reference references[] = {{""")
    for seed, (name, changes) in enumerate(DATA_SETS.items(), start=1):
        recipe = DEFAULTS | changes
        data = make(seed, recipe)
        fields = []
        for field in FIELDS:
            value = recipe[field]
            kind = {"innovation": "Innovation", "special": "Special"}.get(field)
            fields.append(f"{kind}::{value}" if kind else repr(value))
        expected = ", ".join(f".{key} = {literal(value)}" for key, value in quantities(data).items())
        print(f"""    {{"{name}",
     {{{seed}, {", ".join(fields)}}},
     {checksum(data):#018x},
     {{{expected}}},
     {{{", ".join(literal(value) for value in energy_fractions(data))}}}}},""")
    print("};\n\ninline const NormalQuantile normal_quantiles[] = {")
    for p, x in normal_quantiles():
        print(f"    {{{p!r}, {mpmath.nstr(x, 20)}}},")
    print("};\n\ninline const BetaQuantile beta_quantiles[] = {")
    for p, a, b, x in beta_quantiles():
        print(f"    {{{p!r}, {float(a)!r}, {float(b)!r}, {mpmath.nstr(x, 20)}}},")
    print("};\n\n}  // namespace diagnostics_test")


if __name__ == "__main__":
    main()
