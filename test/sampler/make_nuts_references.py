#!/usr/bin/env python3
"""Runs BlackJAX's NUTS at fixed step sizes from exact draws of two targets and prints nuts_references.hpp.

pip install blackjax; the figures in nuts_references.hpp were made with blackjax 1.7.1 and jax 0.10.2, double precision.
"""
import jax

jax.config.update("jax_enable_x64", True)
import blackjax
import jax.numpy as jnp
import numpy as np

CHAINS, DRAWS = 4096, 8


def scales(d):
    return 0.1 + 0.9 * jnp.arange(d) / (d - 1)


def scaled_normal(x):
    return -0.5 * jnp.sum((x / scales(x.shape[0])) ** 2)


def q(z, rho=0.99):
    d = z.shape[0]
    return (jnp.sum(z * z) - rho * jnp.sum(z) ** 2 / (1 - rho + d * rho)) / (1 - rho)


def mixture(x):  # targets.md: mixture_code, up to a constant
    return jnp.logaddexp(-q(x - 5), -q(x + 5))


def scaled_start(key):
    return scales(10) * jax.random.normal(key, (10,))


def mixture_start(key):
    a, b, c = jax.random.split(key, 3)
    z = jnp.sqrt(0.99) * jax.random.normal(a) + jnp.sqrt(0.01) * jax.random.normal(b, (100,))
    return z / jnp.sqrt(2.0) + 5 * jnp.where(jax.random.bernoulli(c), 1.0, -1.0)


def figures(name, density, start, dimension, step):
    kernel = blackjax.nuts(density, step_size=step, inverse_mass_matrix=jnp.ones(dimension), max_num_doublings=10)

    def chain(key):
        first, key = jax.random.split(key)
        state = kernel.init(start(first))

        def one(state, key):
            state, info = kernel.step(key, state)
            return state, (info.num_integration_steps, info.acceptance_rate)

        return jax.lax.scan(one, state, jax.random.split(key, DRAWS))[1]

    steps, acceptance = jax.jit(jax.vmap(chain))(jax.random.split(jax.random.key(1), CHAINS))
    steps, acceptance = np.asarray(steps), np.asarray(acceptance)

    def with_error(per_draw):
        means = per_draw.mean(axis=1)
        return f"{{{means.mean():.6g}, {means.std(ddof=1) / np.sqrt(CHAINS):.3g}}}"

    bounds = [1, 3, 7, 15, 31, 63, 127]
    shares = ", ".join(with_error((steps <= b).astype(float)) for b in bounds)
    print(f"inline constexpr NutsReference {name} = {{{with_error(steps)}, {with_error(acceptance)}, {{{{{shares}}}}}}};")


print("// Made by make_nuts_references.py from BlackJAX: mean and standard error over exact starts.")
figures("scaled_normal_step_0_12", scaled_normal, scaled_start, 10, 0.12)
figures("mixture_step_0_0316", mixture, mixture_start, 100, 0.01 * np.sqrt(10))
