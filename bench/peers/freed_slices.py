"""The paper's method in JAX for samplers with one loop: a chain that has finished a draw begins the next one.

Every step takes the answers to all chains' requests, asked in one batch (the paper's amortised step), and `lax.switch`
under vmap takes each chain to its next request: of the same draw, or, with the end of a draw and the beginning of the
next bundled, of the next draw.
"""
import typing

import jax
import jax.numpy as jnp
import numpy as np

from made import Clock, Made, cut_off, real_type
from slice_kernels import SAMPLERS, make_log_density

STEPS = 1000  # between two looks at the clock


class Chain(typing.NamedTuple):
    x: jax.Array
    at_x: jax.Array
    search: typing.Any
    tries: jax.Array
    draw: jax.Array


def _step(sampler, max_tries, chain, answer, normal, uniforms):
    """One chain's next request; also whether that ended a draw, and after how many tries."""
    accepted = sampler.accepts(chain.at_x, chain.search, answer, uniforms)
    tries = chain.tries + 1
    ended = accepted | (tries == max_tries)
    x = jnp.where(accepted, chain.search.request, chain.x)
    at_x = jnp.where(accepted, answer, chain.at_x)

    def go_on():
        return sampler.go_on(x, at_x, chain.search, answer, normal, uniforms)

    def next_draw():
        return sampler.begin(x, at_x, normal, uniforms)

    search = jax.lax.switch(ended.astype(jnp.int32), (go_on, next_draw))
    return Chain(x, at_x, search, jnp.where(ended, 0, tries), chain.draw + ended), ended, tries


def prepare(job):
    real = real_type(job)
    ask, sampler = jax.vmap(make_log_density(job)), SAMPLERS[job["sampler"]](job)
    starts = jnp.asarray(np.load(job["starts_file"]).astype(real))
    chains, d = starts.shape
    rows, everyone = max(job["draws"], job["warmup"]), jnp.arange(chains)

    def numbers(key):
        first, second = jax.random.split(key)
        return jax.random.normal(first, (chains, d), real), jax.random.uniform(second, (chains, sampler.uniforms), real)

    @jax.jit
    def begin(key, starts):
        first, key = jax.random.split(key)
        at = ask(starts)
        none = jnp.zeros(chains, jnp.int32)
        state = Chain(jnp.copy(starts), at, jax.vmap(sampler.begin)(starts, at, *numbers(first)), none, none)
        return state, jnp.zeros((chains, rows, d), real), jnp.zeros((chains, rows), jnp.int32), key

    def advance(wanted, state, positions, counts, key):
        def unfinished(values):
            return jnp.any(values[0].draw < wanted) & (values[-1] < STEPS)

        def go(values):
            state, positions, counts, key, steps = values
            key, now = jax.random.split(key)
            answers = ask(state.search.request)
            step = jax.vmap(lambda *of_chain: _step(sampler, job["max_tries"], *of_chain))
            after, ended, tries = step(state, answers, *numbers(now))
            at, written = jnp.minimum(state.draw, wanted - 1), ended & (state.draw < wanted)
            positions = positions.at[everyone, at].set(jnp.where(written[:, None], after.x, positions[everyone, at]))
            counts = counts.at[everyone, at].set(jnp.where(written, tries, counts[everyone, at]))
            return after._replace(draw=jnp.minimum(after.draw, wanted)), positions, counts, key, steps + 1

        return jax.lax.while_loop(unfinished, go, (state, positions, counts, key, 0))[:-1]

    example = (jnp.int32(1), *begin(jax.random.key(0), starts))
    compiled = jax.jit(advance, donate_argnums=(1, 2, 3)).lower(*example).compile()

    def make(wanted, seed, starts, limit):
        clock = Clock(limit)
        values = begin(jax.random.key(seed), starts)
        while True:
            values = jax.block_until_ready(compiled(jnp.int32(wanted), *values))
            least = int(values[0].draw.min())
            if least >= wanted or clock.is_over():
                break
        seconds = clock.seconds()
        positions, counts = (np.asarray(value)[:, :least] for value in values[1:3])
        return Made(positions, counts, seconds, cut_off(clock, least, wanted))

    make(1, 0, starts, np.inf)  # whatever else JAX compiles is not timed
    # What was written last, not where the chains are: a fast chain goes on while the others finish.
    warm = jnp.asarray(make(job["warmup"], 0, starts, np.inf).draws[:, -1]) if job["warmup"] else starts
    return lambda seed: make(job["draws"], seed, warm, job["limit"])
