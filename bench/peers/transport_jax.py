"""Transport elliptical slice (Cabezas and Nemeth 2023) in JAX, written by us, in lock-step or by the paper's method.

Flow and training are those of breakstep's default: affine coupling layers, a pair for each bit of a coordinate's
number, then shifts and scales, which begin with medians and quartiles of a tenth of the warm-up's draws; Adam on the
reverse divergence; the rest of the warm-up's draws through the flow that is kept. In lock-step a draw is a while_loop
under vmap. By the paper's method (Dance, Glaser, Orbanz and Adams 2025) a step is one evaluation for every chain, after
which `lax.switch` takes each chain to its next angle or its next draw, and nobody waits.
"""
import typing

import jax
import jax.numpy as jnp
import numpy as np
import optax

from jax_many import Program, advanced, empty_values, in_lockstep

HIDDEN, MOST_LAYERS, CAP = 32, 8, 4.0
BATCH, LEARNING_RATE, LAST_SHARE, LONGEST, KEEP_NORM = 256, 0.01, 0.01, 3.0, 0.95
MAX_SHRINKS = 200
TURN = 2 * jnp.pi


def _layers(d):
    return min(max(2 * (d - 1).bit_length(), 2), MOST_LAYERS)


def _parted(d, pair):
    """Coordinates without and with the bit of this pair of layers."""
    bit = pair % (d - 1).bit_length()
    return [[i for i in range(d) if i >> bit & 1 == side] for side in (0, 1)]


def _first_parameters(key, d, real):
    """Of a flow that is the identity, with networks ready to learn."""
    networks = []
    for layer in range(_layers(d)):
        kept, moved = _parted(d, layer // 2)[:: 1 if layer % 2 == 0 else -1]
        sizes = [len(kept), HIDDEN, HIDDEN, 2 * len(moved)]
        network = []
        for i, (ins, outs) in enumerate(zip(sizes, sizes[1:])):
            key, now = jax.random.split(key)
            weights = jax.random.normal(now, (outs, ins), real) / ins**0.5 if i < 2 else jnp.zeros((outs, ins), real)
            network.append((weights, jnp.zeros(outs, real)))
        networks.append(network)
    return {"networks": networks, "shifts": jnp.zeros(d, real), "log_scales": jnp.zeros(d, real)}


def _scale_and_shift(network, kept):
    for weights, biases in network[:-1]:
        kept = jnp.tanh(weights @ kept + biases)
    weights, biases = network[-1]
    shift, raw = jnp.split(weights @ kept + biases, 2)
    return CAP * jnp.tanh(raw / CAP), shift


def _apply(parameters, u):
    """x = T(u) and the logarithm of its determinant."""
    d, log_determinant = len(u), jnp.sum(parameters["log_scales"])
    for pair in range(_layers(d) // 2):
        without, having = _parted(d, pair)
        one, other = u[np.array(without)], u[np.array(having)]
        scale, shift = _scale_and_shift(parameters["networks"][2 * pair], one)
        other = other * jnp.exp(scale) + shift
        log_determinant += jnp.sum(scale)
        scale, shift = _scale_and_shift(parameters["networks"][2 * pair + 1], other)
        one = one * jnp.exp(scale) + shift
        log_determinant += jnp.sum(scale)
        u = jnp.concatenate([one, other])[np.argsort(without + having)]
    return u * jnp.exp(parameters["log_scales"]) + parameters["shifts"], log_determinant


def _invert(parameters, x):
    d, u = len(x), (x - parameters["shifts"]) * jnp.exp(-parameters["log_scales"])
    for pair in reversed(range(_layers(d) // 2)):
        without, having = _parted(d, pair)
        one, other = u[np.array(without)], u[np.array(having)]
        scale, shift = _scale_and_shift(parameters["networks"][2 * pair + 1], other)
        one = (one - shift) * jnp.exp(-scale)
        scale, shift = _scale_and_shift(parameters["networks"][2 * pair], one)
        other = (other - shift) * jnp.exp(-scale)
        u = jnp.concatenate([one, other])[np.argsort(without + having)]
    return u


def _fitted(parameters, positions):
    """Shifts and scales that take N(0, 1) to each coordinate's median and quartiles."""
    low, middle, high = jnp.quantile(positions, jnp.array([0.25, 0.5, 0.75], positions.dtype), axis=0)
    scales = jnp.where(high - low > 1e-8, (high - low) / 1.3489795, 1.0)
    return {**parameters, "shifts": middle, "log_scales": jnp.log(scales)}


def _trained(parameters, log_density, key, steps, d, real):
    """Positions without a finite density or gradient are left out, gradients far longer than usual are shortened."""
    optimizer = optax.adam(optax.linear_schedule(LEARNING_RATE, LEARNING_RATE * LAST_SHARE, steps))

    def loss(parameters, u):
        x, log_determinants = jax.vmap(_apply, (None, 0))(parameters, u)
        values, slopes = jax.lax.stop_gradient(jax.vmap(jax.value_and_grad(log_density))(x))
        good = jnp.isfinite(values) & jnp.all(jnp.isfinite(slopes), axis=1)
        gains = jnp.sum(x * jnp.where(good[:, None], slopes, 0), axis=1) + jnp.where(good, log_determinants, 0)
        return -jnp.sum(gains) / jnp.maximum(jnp.sum(good), 1)  # its gradient is that of the reverse divergence

    def step(carried, key):
        parameters, state, usual = carried
        gradient = jax.grad(loss)(parameters, jax.random.normal(key, (BATCH, d), real))
        norm = optax.global_norm(gradient)
        limit = jnp.where(usual > 0, LONGEST * usual, norm)
        gradient = jax.tree.map(lambda g: g * jnp.where(norm > limit, limit / norm, 1.0), gradient)
        changes, after = optimizer.update(gradient, state)
        moved = jnp.where(usual > 0, KEEP_NORM * usual + (1 - KEEP_NORM) * jnp.minimum(norm, limit), norm)
        later = (optax.apply_updates(parameters, changes), after, moved)
        return jax.tree.map(lambda a, b: jnp.where(jnp.isfinite(norm), a, b), later, carried), None

    begin = (parameters, optimizer.init(parameters), jnp.zeros((), real))
    return jax.lax.scan(step, begin, jax.random.split(key, steps))[0][0]


class Place(typing.NamedTuple):
    """Where a chain is."""

    u: jax.Array
    x: jax.Array
    value: jax.Array  # of the likelihood that elliptical slice sees


class Search(typing.NamedTuple):
    """A draw under way; angles are in turns."""

    other: jax.Array
    threshold: jax.Array
    angle: jax.Array
    lowest: jax.Array
    highest: jax.Array
    shrinks: jax.Array


def _first_search(place, other, uniforms):
    threshold = place.value + jnp.log1p(-uniforms[0])
    return Search(other, threshold, uniforms[1], uniforms[1] - 1, uniforms[1], jnp.int32(0))


def _next_search(search, uniform):
    lowest = jnp.where(search.angle < 0, search.angle, search.lowest)
    highest = jnp.where(search.angle < 0, search.highest, search.angle)
    angle = lowest + uniform * (highest - lowest)
    return search._replace(angle=angle, lowest=lowest, highest=highest, shrinks=search.shrinks + 1)


def _is_over(search, value):
    """Written so that NaN is no success."""
    return (value > search.threshold) | (search.shrinks >= MAX_SHRINKS)


def transport(job, log_density, d, real):
    sign = -1 if job.get("flaw") == "determinant" else 1

    def evaluated(flow, u):
        x, log_determinant = _apply(flow, u)
        return Place(u, x, log_density(x) + sign * log_determinant + 0.5 * jnp.sum(u**2))

    def proposed(flow, place, search):
        angle = TURN * search.angle
        return evaluated(flow, jnp.cos(angle) * place.u + jnp.sin(angle) * search.other)

    in_step = _in_lockstep(job, proposed, d, real)
    make_begin_and_step = in_step if job["schedule"] == "lockstep" else _freed(job, proposed, d, real)

    def warm_up(key, starts):
        keys = jax.random.split(key, 4)
        flow, early = _first_parameters(keys[0], d, real), max(1, job["warmup"] // 10)
        places = jax.vmap(evaluated, (None, 0))(flow, starts)
        values = _all_drawn(in_step(early), flow, places, keys[1], early)  # always, so that all get the same flow
        flow = _fitted(flow, values.positions[:, early // 2 :].reshape(-1, d))
        flow = _trained(flow, log_density, keys[2], job["warmup"], d, real)
        inverted = jax.vmap(_invert, (None, 0))(flow, values.positions[:, -1])
        places = jax.vmap(evaluated, (None, 0))(flow, inverted)
        late = job["warmup"] - early
        values = _all_drawn(make_begin_and_step(late), flow, places, keys[3], late)
        return flow, _places_of(values)

    begin, step = make_begin_and_step(job["draws"])
    return Program(warm_up, begin, step, 20 if job["schedule"] == "lockstep" else 50)


def _all_drawn(program, flow, places, key, draws):
    begin, step = program
    return advanced(step, begin(flow, places, key), draws)


def _places_of(values):
    return values.state.place if isinstance(values.state, Chain) else values.state


def _in_lockstep(job, proposed, d, real):
    def one_draw(flow, place, key):
        ellipse, level, shrinking = jax.random.split(key, 3)
        other = jax.random.normal(ellipse, (d,), real)
        search = _first_search(place, other, jax.random.uniform(level, (2,), real))

        def goes_on(carried):
            search, proposal = carried
            return ~_is_over(search, proposal.value)

        def shrink(carried):
            search = carried[0]
            uniform = jax.random.uniform(jax.random.fold_in(shrinking, search.shrinks), (), real)
            search = _next_search(search, uniform)
            return search, proposed(flow, place, search)

        search, proposal = jax.lax.while_loop(goes_on, shrink, (search, proposed(flow, place, search)))
        accepted = proposal.value > search.threshold
        place = jax.tree.map(lambda a, b: jnp.where(accepted, a, b), proposal, place)
        return place, place.x, search.shrinks + 1

    def begin_and_step(draws):
        program = in_lockstep(None, one_draw, {**job, "draws": draws}, d, real)
        return program.begin, program.step

    return begin_and_step


class Chain(typing.NamedTuple):
    place: Place
    search: Search


def _freed(job, proposed, d, real):
    """All prior draws are made beforehand, because under vmap a step would make them for every chain."""
    chains, everyone = job["chains"], jnp.arange(job["chains"])

    def next_stage(chain, proposal, uniforms, other, busy):
        """What one chain does after an evaluation; also whether its draw is done. Chains with all draws stay."""
        search = chain.search
        accepted, over = busy & (proposal.value > search.threshold), _is_over(search, proposal.value)
        place = jax.tree.map(lambda a, b: jnp.where(accepted, a, b), proposal, chain.place)

        def shrink():
            return _next_search(search, uniforms[2])

        def next_draw():
            return _first_search(place, other, uniforms)

        return Chain(place, jax.lax.switch(over.astype(int), (shrink, next_draw))), over

    def begin_and_step(draws):
        def begin(flow, places, key):
            key, ellipses, first = jax.random.split(key, 3)
            others = jax.random.normal(ellipses, (chains, draws + 1, d), real)
            searches = jax.vmap(_first_search)(places, others[:, 0], jax.random.uniform(first, (chains, 2), real))
            return empty_values((flow, others), Chain(places, searches), chains, draws, d, real, key)

        def step(values):
            flow, others = values.tuned
            key, now = jax.random.split(values.key)
            uniforms = jax.random.uniform(now, (chains, 3), real)
            at, busy = jnp.minimum(values.made, draws - 1), values.made < draws
            before = values.state
            proposals = jax.vmap(proposed, (None, 0, 0))(flow, before.place, before.search)
            after, over = jax.vmap(next_stage)(before, proposals, uniforms, others[everyone, at + 1], busy)
            written = over & busy
            x = jnp.where(written[:, None], after.place.x, values.positions[everyone, at])
            counts = jnp.where(written, before.search.shrinks + 1, values.evaluations[everyone, at])
            return values._replace(
                state=after,
                positions=values.positions.at[everyone, at].set(x),
                evaluations=values.evaluations.at[everyone, at].set(counts),
                made=values.made + written,
                key=key,
            )

        return begin, step

    return begin_and_step
