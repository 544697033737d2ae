"""For JAX: the densities of the contest of slices, and its samplers cut into what the paper's machine needs.

A sampler begins a search with a request, judges the answer (the log density there) and, unless it accepts, goes on with
another request. Asking is left to the machine, which does it for all chains at once.
"""
import typing

import jax
import jax.numpy as jnp
import numpy as np

GROUP = 16  # chains whose covariances are in the cache together


def make_log_density(job):
    """What the sampler asks for: the density, or the likelihood alone where the prior is in the ellipse."""
    return _gp_log_likelihood(job) if job["target"] == "gp_regression" else lambda x: -0.5 * jnp.sum(x**2)


def _gp_log_likelihood(job):
    table = np.loadtxt(job["data_file"], delimiter=",", skiprows=1)[: job["points"]]
    table = (table - table.mean(axis=0)) / table.std(axis=0)
    features, observed = table[:, :-1], jnp.asarray(table[:, -1], jnp.float32)
    squared = jnp.asarray(((features[:, None] - features) ** 2).sum(axis=2), jnp.float32)
    identity = jnp.eye(job["points"], dtype=jnp.float32)

    def of_one(x):
        """Logarithms of the noise, of the squared length and of the signal."""
        covariance = jnp.exp(x[2]) * jnp.exp(-0.5 * jnp.exp(-x[1]) * squared) + jnp.exp(x[0]) * identity
        factor = jnp.linalg.cholesky(covariance, symmetrize_input=False)
        residual = jax.scipy.linalg.solve_triangular(factor, observed, lower=True)
        value = -0.5 * jnp.sum(residual**2) - jnp.sum(jnp.log(jnp.diagonal(factor)))
        return jnp.where(jnp.isnan(value), -jnp.inf, value)  # BlackJAX would accept NaN

    # One group after the other is three times as fast as what vmap makes of a thousand chains.
    log_likelihood = jax.custom_batching.custom_vmap(of_one)

    @log_likelihood.def_vmap
    def of_many(_, __, x):
        return jax.lax.map(of_one, x, batch_size=GROUP), True

    return log_likelihood


class DelayedRejection:
    """Mira's symmetric form: rejected points of best density p* leave p(x) - p* to win; the next jump starts there."""

    uniforms = 1

    class Search(typing.NamedTuple):
        request: jax.Array
        best: jax.Array  # p* as a share of p(x)

    def __init__(self, job):
        self.scale = job["scale"]

    def begin(self, x, at_x, normal, uniforms):
        return self.Search(x + self.scale * normal, jnp.zeros_like(at_x))

    def accepts(self, at_x, search, answer, uniforms):
        return uniforms[0] * (1 - search.best) < jnp.exp(answer - at_x) - search.best

    def go_on(self, x, at_x, search, answer, normal, uniforms):
        best = jnp.maximum(search.best, jnp.exp(answer - at_x))
        return self.Search(search.request + self.scale * normal, best)


class EllipticalSlice:
    """Murray, Adams and MacKay's, for the prior N(0, I)."""

    uniforms = 2

    class Search(typing.NamedTuple):
        request: jax.Array
        other: jax.Array  # spans the ellipse with x
        threshold: jax.Array
        angle: jax.Array
        lowest: jax.Array
        highest: jax.Array

    def __init__(self, job):
        pass

    def begin(self, x, at_x, normal, uniforms):
        angle = 2 * jnp.pi * uniforms[1]
        threshold = at_x + jnp.log(uniforms[0])
        return self._turned(x, normal, threshold, angle, angle - 2 * jnp.pi, angle)

    def accepts(self, at_x, search, answer, uniforms):
        return answer > search.threshold

    def go_on(self, x, at_x, search, answer, normal, uniforms):
        lowest = jnp.where(search.angle < 0, search.angle, search.lowest)
        highest = jnp.where(search.angle < 0, search.highest, search.angle)
        angle = lowest + uniforms[1] * (highest - lowest)
        return self._turned(x, search.other, search.threshold, angle, lowest, highest)

    def _turned(self, x, other, threshold, angle, lowest, highest):
        request = jnp.cos(angle) * x + jnp.sin(angle) * other
        return self.Search(request, other, threshold, angle, lowest, highest)


SAMPLERS = {"delayed_rejection": DelayedRejection, "elliptical_slice": EllipticalSlice}
