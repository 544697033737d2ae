"""The many-chain samplers in JAX: compiles, warms up and draws under the clock, whatever the sampler.

A sampler is a Program. What the worker does not ask for (seconds of warm-up and of draws, each with the share of the
core that it got) is left in facts.json.
"""
import json
import pathlib
import time
import typing

import jax
import jax.numpy as jnp
import numpy as np

from made import Clock, Made, cut_off, real_type
from many_densities import make_many_log_density, make_many_problem


class Values(typing.NamedTuple):
    """All chains while they draw."""

    tuned: typing.Any  # what the warm-up found
    state: typing.Any
    positions: jax.Array  # chains, draws, coordinates
    evaluations: jax.Array  # chains, draws: of the density, what a chain alone would compute
    made: jax.Array  # draws of each chain
    key: jax.Array


class Program(typing.NamedTuple):
    warm_up: typing.Callable  # of a key and starts; gives what was tuned and the chains' state
    begin: typing.Callable  # of what was tuned, the state and a key; gives Values
    step: typing.Callable  # of Values; gives Values
    block: int  # steps between two looks at the clock


def empty_values(tuned, state, chains, draws, dimension, real, key):
    positions = jnp.zeros((chains, draws, dimension), real)
    return Values(tuned, state, positions, jnp.zeros((chains, draws), jnp.int32), jnp.zeros(chains, jnp.int32), key)


def in_lockstep(warm_up, one_draw, job, dimension, real, block=20):
    """The Program of a sampler whose chains all make their n-th draw together.

    `one_draw` of what was tuned, a chain's state and a key gives the state, the position and the evaluations.
    """
    chains, draws = job["chains"], job["draws"]

    def begin(tuned, state, key):
        return empty_values(tuned, state, chains, draws, dimension, real, key)

    def step(values):
        key, now = jax.random.split(values.key)
        keys = jax.random.split(now, chains)
        state, x, count = jax.vmap(one_draw, (None, 0, 0))(values.tuned, values.state, keys)
        at = values.made[0]
        positions = jax.lax.dynamic_update_index_in_dim(values.positions, x, at, 1)
        evaluations = jax.lax.dynamic_update_index_in_dim(values.evaluations, count.astype(jnp.int32), at, 1)
        return Values(values.tuned, state, positions, evaluations, values.made + 1, key)

    return Program(warm_up, begin, step, block)


def advanced(step, values, draws, block=None):
    """Steps until every chain has its draws, or a block of steps is over."""

    def goes_on(carried):
        values, steps = carried
        unfinished = jnp.any(values.made < draws)
        return unfinished if block is None else unfinished & (steps < block)

    return jax.lax.while_loop(goes_on, lambda carried: (step(carried[0]), carried[1] + 1), (values, 0))[0]


class _Watch:
    """Seconds, and the share of the core, since it was made."""

    def __init__(self):
        self.wall, self.cpu = time.perf_counter(), time.process_time()

    def read(self):
        seconds = time.perf_counter() - self.wall
        return {"seconds": seconds, "share": min(1.0, (time.process_time() - self.cpu) / seconds)}


def prepare(job):
    import blackjax_many
    import transport_jax

    makers = {"meads": blackjax_many.meads, "chees": blackjax_many.chees, "transport_slice": transport_jax.transport}
    real = real_type(job)
    log_density = make_many_log_density(make_many_problem(job["target"], job["data_folder"]))
    starts = jnp.asarray(np.load(job["starts_file"]).astype(real))
    program = makers[job["sampler"]](job, log_density, starts.shape[1], real)
    draws, key = job["draws"], jax.random.key(0)

    warm_up = jax.jit(program.warm_up).lower(key, starts).compile()
    found = jax.eval_shape(program.warm_up, key, starts)
    begin = jax.jit(program.begin).lower(*found, key).compile()
    values = jax.eval_shape(program.begin, *found, key)
    advance = jax.jit(lambda values: advanced(program.step, values, draws, program.block), donate_argnums=0)
    advance = advance.lower(values).compile()

    def run(seed):
        first, second = jax.random.split(jax.random.key(seed))
        watch = _Watch()
        tuned, state = jax.block_until_ready(warm_up(first, starts))
        warming = watch.read()
        clock, watch = Clock(job["limit"]), _Watch()
        values = begin(tuned, state, second)
        while True:
            values = jax.block_until_ready(advance(values))
            least = int(values.made.min())
            if least >= draws or clock.is_over():
                break
        drawing = watch.read()
        facts = {"warm_up": warming, "draws": drawing}
        (pathlib.Path(job["folder"]) / "facts.json").write_text(json.dumps(facts))
        positions, evaluations = (np.asarray(array)[:, :least] for array in (values.positions, values.evaluations))
        return Made(positions, evaluations, drawing["seconds"], cut_off(clock, least, draws))

    return run
