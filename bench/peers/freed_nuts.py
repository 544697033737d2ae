"""The paper's NUTS in JAX: a chain that has finished a draw begins the next one and waits for nobody.

Dance, Glaser, Orbanz and Adams (2025), with the loops of NUTS turned into stages of one step: every step makes one
leapfrog of every chain, with one batch of gradients for all of them, and `lax.switch` under vmap takes each chain to
what follows (the same doubling, the next doubling, the next draw). Turns are checked for every sub-tree, as in BlackJAX
and NumPyro. All momenta are drawn beforehand, because under vmap a step would draw them for every chain.
"""
import typing

import jax
import jax.numpy as jnp
import numpy as np

from densities import make_log_density
from made import Clock, Made, cut_off, real_type
from problem import make_problem

STEPS = 2000  # between two looks at the clock
MAX_ENERGY_ERROR = 1000.0


class Point(typing.NamedTuple):
    x: jax.Array
    p: jax.Array
    gradient: jax.Array


class Choice(typing.NamedTuple):
    """A leaf chosen by weight, and the logarithm of the weight it was chosen from."""

    x: jax.Array
    gradient: jax.Array
    log_density: jax.Array
    weight: jax.Array


class Trajectory(typing.NamedTuple):
    moving: Point  # the end that is extended, in the direction of time `direction`
    resting: Point
    direction: jax.Array
    chosen: Choice  # of the whole trajectory
    doubling: Choice  # of the doubling under way
    momentum_sum: jax.Array
    doubling_sum: jax.Array
    energy: jax.Array  # at the beginning
    depth: jax.Array
    leaves: jax.Array  # of the doubling under way
    leapfrogs: jax.Array


class Chain(typing.NamedTuple):
    trajectory: Trajectory
    open_momentum: jax.Array  # depth, d: of the leaves that opened a sub-tree which is not complete
    open_sum: jax.Array
    draw: jax.Array


def _is_turning(first, last, total):
    inner = total - 0.5 * (first + last)
    return (jnp.sum(first * inner, axis=-1) <= 0) | (jnp.sum(last * inner, axis=-1) <= 0)


def _nothing_chosen(point):
    return Choice(point.x, point.gradient, jnp.zeros_like(point.x[0]), jnp.full_like(point.x[0], -jnp.inf))


def _first_trajectory(x, gradient, log_density, momentum):
    point = Point(x, momentum, gradient)
    none = jnp.int32(0)
    return Trajectory(
        point,
        point,
        jnp.ones_like(x[0]),
        Choice(x, gradient, log_density, jnp.zeros_like(x[0])),
        _nothing_chosen(point),
        momentum,
        jnp.zeros_like(x),
        0.5 * jnp.sum(momentum**2) - log_density,
        none,
        none,
        none,
    )


def _begin_doubling(trajectory, uniform):
    direction = jnp.where(uniform < 0.5, 1.0, -1.0).astype(trajectory.direction.dtype)
    same = direction == trajectory.direction

    def exchange(one, other):
        return jax.tree.map(lambda a, b: jnp.where(same, a, b), one, other)

    return trajectory._replace(
        moving=exchange(trajectory.moving, trajectory.resting),
        resting=exchange(trajectory.resting, trajectory.moving),
        direction=direction,
        doubling=_nothing_chosen(trajectory.moving),
        doubling_sum=jnp.zeros_like(trajectory.doubling_sum),
        leaves=jnp.int32(0),
    )


def _step(value_and_gradient, step_size, max_depth, chain, uniforms, momentum):
    """One leapfrog of one chain and what follows from it; also whether the draw is done, and the draw."""
    old = chain.trajectory
    half = 0.5 * step_size * old.direction
    p = old.moving.p + half * old.moving.gradient
    x = old.moving.x + 2 * half * p
    log_density, gradient = value_and_gradient(x)
    p = p + half * gradient

    gain = old.energy + log_density - 0.5 * jnp.sum(p**2)
    gain = jnp.where(jnp.isnan(gain), -jnp.inf, gain)
    total = jnp.logaddexp(old.doubling.weight, gain)
    taken = jnp.log(uniforms[0]) < gain - total
    leaf, before = Choice(x, gradient, log_density, total), old.doubling._replace(weight=total)
    doubling = jax.tree.map(lambda a, b: jnp.where(taken, a, b), leaf, before)
    doubling_sum = old.doubling_sum + p

    # An even leaf n opens a sub-tree in the row that counts the ones of n/2; an odd leaf completes as many as it has
    # trailing ones.
    n, rows = old.leaves, jnp.arange(max_depth)
    last = jax.lax.population_count(n >> 1)
    trailing = jax.lax.population_count(n ^ (n + 1)) - 1
    opens = ((n & 1) == 0) & (rows == last)
    open_momentum = jnp.where(opens[:, None], p, chain.open_momentum)
    open_sum = jnp.where(opens[:, None], doubling_sum, chain.open_sum)
    closes = ((n & 1) == 1) & (rows <= last) & (rows > last - trailing)
    turns = _is_turning(open_momentum, p, doubling_sum - open_sum + open_momentum)
    stopped = jnp.any(closes & turns) | (gain < -MAX_ENERGY_ERROR)

    complete = ~stopped & (n + 1 == 1 << old.depth)
    now = old._replace(
        moving=Point(x, p, gradient),
        doubling=doubling,
        doubling_sum=doubling_sum,
        leaves=n + 1,
        leapfrogs=old.leapfrogs + 1,
    )
    momentum_sum = now.momentum_sum + doubling_sum
    moves = complete & (jnp.log(uniforms[1]) < doubling.weight - now.chosen.weight)
    weight = jnp.logaddexp(now.chosen.weight, doubling.weight)
    chosen = jax.tree.map(lambda a, b: jnp.where(moves, a, b), doubling, now.chosen)
    depth = now.depth + complete
    ended = stopped | complete & (_is_turning(now.resting.p, p, momentum_sum) | (depth == max_depth))

    def go_on(_):
        return now

    def next_doubling(uniform):
        longer = now._replace(chosen=chosen._replace(weight=weight), momentum_sum=momentum_sum, depth=depth)
        return _begin_doubling(longer, uniform)

    def next_draw(uniform):
        return _begin_doubling(_first_trajectory(chosen.x, chosen.gradient, chosen.log_density, momentum), uniform)

    stage = jnp.where(ended, 2, jnp.where(complete, 1, 0))
    trajectory = jax.lax.switch(stage, (go_on, next_doubling, next_draw), uniforms[2])
    return Chain(trajectory, open_momentum, open_sum, chain.draw + ended), ended, chosen.x, now.leapfrogs


def prepare(job):
    real = real_type(job)
    log_density = make_log_density(make_problem(job["target"], job["data_folder"]), job["plain_density"])
    starts = jnp.asarray(np.load(job["starts_file"]).astype(real))
    chains, d = starts.shape
    draws, max_depth, everyone = job["draws"], job["max_depth"], jnp.arange(chains)
    value_and_gradient = jax.value_and_grad(log_density)

    @jax.jit
    def begin(key):
        momentum_key, key, first = jax.random.split(key, 3)
        momenta = jax.random.normal(momentum_key, (chains, draws + 1, d), real)
        densities, gradients = jax.vmap(value_and_gradient)(starts)
        trajectories = jax.vmap(_first_trajectory)(starts, gradients, densities, momenta[:, 0])
        trajectories = jax.vmap(_begin_doubling)(trajectories, jax.random.uniform(first, (chains,), real))
        rows = jnp.zeros((chains, max_depth, d), real)
        state = Chain(trajectories, rows, rows, jnp.zeros(chains, jnp.int32))
        return state, jnp.zeros((chains, draws, d), real), jnp.zeros((chains, draws), jnp.int32), momenta, key

    def go(values):
        state, positions, leapfrogs, momenta, key, steps = values
        key, now = jax.random.split(key)
        uniforms = jax.random.uniform(now, (chains, 3), real)
        at = jnp.minimum(state.draw, draws - 1)
        busy = state.draw < draws

        def step(chain, uniforms, momentum):
            return _step(value_and_gradient, job["step_size"], max_depth, chain, uniforms, momentum)

        after, ended, x, counts = jax.vmap(step)(state, uniforms, momenta[everyone, at + 1])
        after = after._replace(draw=jnp.minimum(after.draw, draws))
        written = ended & busy
        positions = positions.at[everyone, at].set(jnp.where(written[:, None], x, positions[everyone, at]))
        leapfrogs = leapfrogs.at[everyone, at].set(jnp.where(written, counts, leapfrogs[everyone, at]))
        return after, positions, leapfrogs, momenta, key, steps + 1

    def advance(state, positions, leapfrogs, momenta, key):
        def unfinished(values):
            return jnp.any(values[0].draw < draws) & (values[-1] < STEPS)

        return jax.lax.while_loop(unfinished, go, (state, positions, leapfrogs, momenta, key, 0))[:-1]

    compiled = jax.jit(advance, donate_argnums=(0, 1, 2, 3)).lower(*begin(jax.random.key(0))).compile()

    def run(seed):
        clock = Clock(job["limit"])
        values = begin(jax.random.key(seed))
        while True:
            values = jax.block_until_ready(compiled(*values))
            least = int(values[0].draw.min())
            if least >= draws or clock.is_over():
                break
        seconds = clock.seconds()
        note = cut_off(clock, least, draws)
        return Made(np.asarray(values[1])[:, :least], np.asarray(values[2])[:, :least], seconds, note)

    return run
