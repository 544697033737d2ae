"""NumPyro's NUTS by its kernel's `init` and `sample`; `chain_method` of the job: chains under vmap, or one by one.

The class MCMC does the same with these two functions, but compiles anew for every run and, one by one, for every chain.
"""
import time

import jax
import jax.numpy as jnp
import numpy as np
from numpyro.infer import NUTS

from densities import make_log_density
from made import Clock, Made, cut_off, real_type
from problem import make_problem

SEGMENT = 5  # draws between two looks at the clock


def prepare(job):
    real = real_type(job)
    log_density = make_log_density(make_problem(job["target"], job["data_folder"]), job["plain_density"])
    starts = jnp.asarray(np.load(job["starts_file"]).astype(real))

    def potential(x):
        return -log_density(x)

    return (_fixed if job["contest"] == "fixed" else _whole)(job, potential, starts)


def _begin(kernel, starts, seed, warmup):
    """The states of all chains; from now on the kernel samples them all at once."""
    return kernel.init(jax.random.split(jax.random.PRNGKey(seed), len(starts)), warmup, starts, (), {})


def _draws_of(kernel, state, draws):
    def one(state, _):
        state = kernel.sample(state, (), {})
        return state, (state.z, state.num_steps)

    return jax.lax.scan(one, state, None, draws)


def _fixed(job, potential, starts):
    def make_kernel():
        return NUTS(
            potential_fn=potential,
            step_size=job["step_size"],
            adapt_step_size=False,
            adapt_mass_matrix=False,
            max_tree_depth=job["max_depth"],
        )

    kernel = make_kernel()
    first = _begin(kernel, starts, 0, 0)
    if job["chain_method"] == "vectorized":
        segment, chain_axis = SEGMENT, 1

        def advance(state):
            return _draws_of(kernel, state, SEGMENT)

    else:  # a chain makes all its draws before the next begins, so there is nothing to look at the clock for
        segment, chain_axis = job["draws"], 0
        kernel_of_one = make_kernel()
        kernel_of_one.init(jax.random.PRNGKey(0), 0, starts[0], (), {})

        def advance(state):
            return jax.lax.map(lambda one: _draws_of(kernel_of_one, one, segment), state)

    compiled = jax.jit(advance).lower(first).compile()

    def run(seed):
        state, parts = jax.block_until_ready(_begin(make_kernel(), starts, seed, 0)), []
        clock = Clock(job["limit"])
        while segment * len(parts) < job["draws"] and not clock.is_over():
            state, part = jax.block_until_ready(compiled(state))
            parts.append([np.asarray(values).swapaxes(0, chain_axis) for values in part])
        seconds = clock.seconds()
        draws, leapfrogs = (np.concatenate([part[i] for part in parts], axis=1) for i in (0, 1))
        return Made(draws, leapfrogs, seconds, cut_off(clock, draws.shape[1], job["draws"]))

    return run


def _whole(job, potential, starts):
    kernel = NUTS(potential_fn=potential)

    def chains(state):
        state = jax.lax.fori_loop(0, job["warmup"], lambda _, state: kernel.sample(state, (), {}), state)
        return _draws_of(kernel, state, job["draws"])[1]

    compiled = jax.jit(chains).lower(_begin(kernel, starts, 0, job["warmup"])).compile()

    def run(seed):
        state = jax.block_until_ready(_begin(NUTS(potential_fn=potential), starts, seed, job["warmup"]))
        begin = time.perf_counter()
        draws, leapfrogs = jax.block_until_ready(compiled(state))
        seconds = time.perf_counter() - begin
        return Made(np.asarray(draws).swapaxes(0, 1), np.asarray(leapfrogs).swapaxes(0, 1), seconds)

    return run
