"""The same samplers in lock-step: vmap of a draw with its while loop, ours for delayed rejection, else BlackJAX's."""
import blackjax
import jax
import jax.numpy as jnp
import numpy as np

from made import Clock, Made, cut_off, real_type
from slice_kernels import make_log_density

SEGMENT = 5  # draws between two looks at the clock


def _delayed_rejection(job, log_density):
    def draw(state, key):
        x, at_x = state

        def attempt(values):
            y, _, best, tries, _ = values
            first, second = jax.random.split(jax.random.fold_in(key, tries))
            y = y + job["scale"] * jax.random.normal(first, y.shape, y.dtype)
            at_y = log_density(y)
            share = jnp.exp(at_y - at_x)
            accepted = jax.random.uniform(second, dtype=y.dtype) * (1 - best) < share - best
            return y, at_y, jnp.maximum(best, share), tries + 1, accepted

        def rejected(values):
            *_, tries, accepted = values
            return ~accepted & (tries < job["max_tries"])

        untried = (x, at_x, jnp.zeros_like(at_x), 0, False)
        y, at_y, _, tries, accepted = jax.lax.while_loop(rejected, attempt, untried)
        return (jnp.where(accepted, y, x), jnp.where(accepted, at_y, at_x)), tries

    return lambda x: (x, log_density(x)), draw


def _elliptical_slice(job, log_density):
    kernel = blackjax.elliptical_slice(log_density, mean=jnp.zeros(job["dimension"]), cov=jnp.ones(job["dimension"]))

    def draw(state, key):
        state, info = kernel.step(key, state)
        return state, info.subiter

    return kernel.init, draw


SAMPLERS = {"delayed_rejection": _delayed_rejection, "elliptical_slice": _elliptical_slice}


def prepare(job):
    real = real_type(job)
    init, draw = SAMPLERS[job["sampler"]](job, make_log_density(job))
    starts = jnp.asarray(np.load(job["starts_file"]).astype(real))

    def draws_of(state, key):
        def one(state, key):
            state, tries = draw(state, key)
            return state, (state[0], tries)

        return jax.lax.scan(one, state, jax.random.split(key, SEGMENT))

    def keys(key):
        return jax.random.split(key, len(starts))

    first = jax.jit(jax.vmap(init))(starts)
    compiled = jax.jit(jax.vmap(draws_of)).lower(first, keys(jax.random.key(0))).compile()

    def make(wanted, seed, state, limit):
        clock, key, parts = Clock(limit), jax.random.key(seed), []
        while SEGMENT * len(parts) < wanted and not clock.is_over():
            key, now = jax.random.split(key)
            state, part = jax.block_until_ready(compiled(state, keys(now)))
            parts.append(part)
        seconds = clock.seconds()
        return state, parts, seconds, cut_off(clock, SEGMENT * len(parts), wanted)

    make(SEGMENT, 0, first, np.inf)  # whatever else JAX compiles is not timed
    warm = make(job["warmup"], 0, first, np.inf)[0]

    def run(seed):
        _, parts, seconds, note = make(job["draws"], seed, warm, job["limit"])
        positions, tries = (np.concatenate([np.asarray(part[i]) for part in parts], axis=1) for i in (0, 1))
        return Made(positions, tries, seconds, note)

    return run
