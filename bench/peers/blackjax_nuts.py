"""BlackJAX's NUTS under vmap, the draws of a chain in a scan; for the whole contest after its window adaptation."""
import blackjax
import jax
import jax.numpy as jnp
import numpy as np

from densities import make_log_density
from made import Clock, Made, cut_off, real_type
from problem import make_problem

SEGMENT = 5  # draws between two looks at the clock


def prepare(job):
    real = real_type(job)
    log_density = make_log_density(make_problem(job["target"], job["data_folder"]), job["plain_density"])
    starts = np.load(job["starts_file"]).astype(real)
    return (_fixed if job["contest"] == "fixed" else _whole)(job, log_density, jnp.asarray(starts))


def _draws_of(kernel, state, key, draws):
    def one(state, key):
        state, info = kernel.step(key, state)
        return state, (state.position, info.num_integration_steps)

    return jax.lax.scan(one, state, jax.random.split(key, draws))


def _fixed(job, log_density, starts):
    kernel = blackjax.nuts(
        log_density,
        step_size=job["step_size"],
        inverse_mass_matrix=jnp.ones(starts.shape[1], starts.dtype),
        max_num_doublings=job["max_depth"],
    )
    advance = jax.jit(jax.vmap(lambda state, key: _draws_of(kernel, state, key, SEGMENT)))
    begin = jax.jit(jax.vmap(kernel.init))
    compiled = advance.lower(begin(starts), jax.random.split(jax.random.key(0), len(starts))).compile()

    def run(seed):
        clock, key, parts = Clock(job["limit"]), jax.random.key(seed), []
        state = begin(starts)
        while SEGMENT * len(parts) < job["draws"] and not clock.is_over():
            key, now = jax.random.split(key)
            state, part = jax.block_until_ready(compiled(state, jax.random.split(now, len(starts))))
            parts.append(part)
        seconds = clock.seconds()
        draws, leapfrogs = (np.concatenate([np.asarray(part[i]) for part in parts], axis=1) for i in (0, 1))
        return Made(draws, leapfrogs, seconds, cut_off(clock, draws.shape[1], job["draws"]))

    return run


def _whole(job, log_density, starts):
    def chain(key, start):
        first, second = jax.random.split(key)
        warmup = blackjax.window_adaptation(blackjax.nuts, log_density)
        (state, tuned), _ = warmup.run(first, start, num_steps=job["warmup"])
        return _draws_of(blackjax.nuts(log_density, **tuned), state, second, job["draws"])[1]

    keys = jax.random.split(jax.random.key(0), len(starts))
    compiled = jax.jit(jax.vmap(chain)).lower(keys, starts).compile()

    def run(seed):
        draws, leapfrogs = compiled(jax.random.split(jax.random.key(seed), len(starts)), starts)
        return Made(np.asarray(draws), np.asarray(leapfrogs))

    return run
