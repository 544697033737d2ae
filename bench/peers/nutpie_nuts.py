"""nutpie's NUTS on a log density compiled by JAX, which it calls through Python for every leapfrog.

Its interface without PyMC and without BridgeStan is `from_pyfunc`. It always adapts its metric, so it has no part in
the contest with fixed parameters.
"""
import warnings

import jax
import numpy as np

warnings.filterwarnings("ignore", category=FutureWarning)  # ArviZ announces its next version at import
import nutpie
from nutpie.compiled_pyfunc import from_pyfunc

from densities import make_log_density
from made import Clock, Made, cut_off, real_type
from problem import make_problem

GROUP = 8  # chains per core between two looks at the clock


def prepare(job):
    real_type(job)
    problem = make_problem(job["target"], job["data_folder"])
    starts = np.load(job["starts_file"]).astype(np.float64)
    compiled = jax.jit(jax.value_and_grad(make_log_density(problem)))
    jax.block_until_ready(compiled(starts[0]))

    def make_log_density_function():
        def log_density(x):
            value, gradient = compiled(x)
            return float(value), np.asarray(gradient)

        return log_density

    def make_expansion(*_):
        return lambda x: {"x": x}

    next_start = iter(())

    def start(_):
        return next(next_start)

    shape = (problem.dimension,)
    model = from_pyfunc(
        problem.dimension,
        make_log_density_function,
        make_expansion,
        [np.dtype(np.float64)],
        [shape],
        ["x"],
        make_initial_point_fn=start,
    )

    def run(seed):
        nonlocal next_start
        clock, parts, made = Clock(job["limit"]), [], 0
        next_start = iter(np.concatenate([starts] * 10))  # a chain may ask for more than one
        while made < job["chains"] and not clock.is_over():
            chains = min(GROUP * job["cores"], job["chains"] - made)
            trace = nutpie.sample(
                model,
                draws=job["draws"],
                tune=job["warmup"],
                chains=chains,
                cores=job["cores"],
                seed=seed + 1000 * made,
                save_warmup=False,
                progress_bar=False,
            )
            parts.append((trace.posterior["x"].values, trace.sample_stats["n_steps"].values))
            made += chains
        seconds = clock.seconds()
        draws, leapfrogs = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
        return Made(draws, leapfrogs, seconds, cut_off(clock, made, job["chains"], "chains"))

    return run
