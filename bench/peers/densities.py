"""The targets as functions of unconstrained coordinates for JAX; constants are left out."""
import jax
import jax.numpy as jnp
from jax.nn import log_sigmoid, sigmoid


def _exponents_of_modes(mean, data):
    return jnp.stack([-0.5 * data["d"] / data["along"] * (mean - mode) ** 2 for mode in (10, -10)])


def _plain_mixture(data):
    """As one would write it who leaves derivatives and chains to JAX: a gradient takes two products with the matrix."""
    inverse, along, d = jnp.asarray(data["inverse_covariance"]), data["along"], data["d"]

    def log_density(x):
        mean = jnp.mean(x)
        rest = x - mean
        of_mean = -0.5 * d / along * mean**2 + jax.nn.logsumexp(_exponents_of_modes(mean, data))
        return of_mean - rest @ inverse @ rest

    return log_density


def _mixture(data):
    inverse, along, d = jnp.asarray(data["inverse_covariance"]), data["along"], data["d"]

    def of_mean(mean):
        """What the mean of the coordinates adds to the log density, and to every coordinate's derivative."""
        exponents = _exponents_of_modes(mean, data)
        near = jax.nn.softmax(exponents, axis=0)
        value = -0.5 * d / along * mean**2 + jax.nn.logsumexp(exponents, axis=0)
        return value, -(2 * mean - 10 * (near[0] - near[1])) / along

    # One product serves value and gradient, as in breakstep's dense target; JAX's own derivative would take two. Many
    # chains are one product of two matrices, which is about twice as fast as what vmap makes of the products of one.
    @jax.custom_batching.custom_vmap
    def value_and_gradient(x):
        mean = jnp.mean(x)
        rest = x - mean
        product = inverse @ rest
        value, slope = of_mean(mean)
        return value - jnp.dot(rest, product), slope - 2 * product

    @value_and_gradient.def_vmap
    def value_and_gradient_of_many(_count, _, x):
        mean = jnp.mean(x, axis=1)
        rest = x - mean[:, None]
        products = rest @ inverse
        value, slope = of_mean(mean)
        return (value - jnp.sum(rest * products, axis=1), slope[:, None] - 2 * products), (True, True)

    @jax.custom_vjp
    def log_density(x):
        return value_and_gradient(x)[0]

    def backward(gradient, cotangent):
        return (cotangent * gradient,)

    log_density.defvjp(value_and_gradient, backward)
    return log_density


def _eight_schools(data):
    effect, error = jnp.asarray(data["effect"]), jnp.asarray(data["error"])

    def log_density(x):
        tau = jnp.exp(x[9])
        residual = (effect - x[8] - tau * x[:8]) / error
        prior = -0.5 * (jnp.sum(x[:8] ** 2) + (x[8] / 5) ** 2) + x[9] - jnp.log1p((tau / 5) ** 2)
        return prior - 0.5 * jnp.sum(residual**2)

    return log_density


def _german_credit(data):
    features, y, k = jnp.asarray(data["features"]), jnp.asarray(data["y"]), data["k"]

    def log_density(x):
        log_scales = x[k:]
        logits = features @ (jnp.exp(log_scales[k] + log_scales[:k]) * x[:k])
        prior = -0.5 * jnp.sum(x[:k] ** 2) + jnp.sum(0.5 * log_scales - 0.5 * jnp.exp(log_scales))
        return prior + jnp.sum(jnp.where(y == 1, log_sigmoid(logits), log_sigmoid(-logits)))

    return log_density


def _google_stock(data):
    y = jnp.asarray(data["y"])

    def log_density(x):
        """a1, a2, logits of p1 and p2, log rho, log sigma1, log sigma2, logit of xi, y0."""
        p1, p2, rho, xi = sigmoid(x[2]), sigmoid(x[3]), jnp.exp(x[4]), sigmoid(x[7])
        sigma1, sigma2 = jnp.exp(x[5]), jnp.exp(x[6])
        prior = -0.5 * jnp.sum((x[:2] / 0.1) ** 2) - 0.5 * ((rho - 1) / 0.1) ** 2 + x[4] - 0.5 * x[8] ** 2
        prior += jnp.sum(10 * log_sigmoid(x[2:4]) + 2 * log_sigmoid(-x[2:4]))
        prior += jnp.sum(x[5:7] - jnp.log1p(jnp.exp(2 * x[5:7]))) + 2 * (log_sigmoid(x[7]) + log_sigmoid(-x[7]))
        before = jnp.concatenate([x[8:9], y[:-1]])
        peak = 1 / jnp.sqrt(2 * jnp.pi)
        eta1 = peak / sigma1 * jnp.exp(-0.5 * ((y - x[0]) / sigma1) ** 2)
        eta2 = peak / sigma2 * jnp.exp(-0.5 * ((y - x[1] - rho * before) / sigma2) ** 2)
        first, second = p1 * eta1 + (1 - p1) * eta2, (1 - p2) * eta1 + p2 * eta2

        def day(xi, likelihoods):
            total = jnp.maximum(xi * likelihoods[0] + (1 - xi) * likelihoods[1], 1e-6)
            return xi * likelihoods[0] / total, total

        return prior + jnp.sum(jnp.log(jax.lax.scan(day, xi, (first, second))[1]))

    return log_density


def _pilots(data):
    y, group, scenario = jnp.asarray(data["y"]), jnp.asarray(data["group"]) - 1, jnp.asarray(data["scenario"]) - 1

    def normal(v, mean, scale):
        return jnp.sum(-0.5 * ((v - mean) / scale) ** 2 - jnp.log(scale))

    def log_density(x):
        a, b, logits = x[:5], x[5:13], x[15:]
        scale = 100 * sigmoid(logits)
        return (
            jnp.sum(log_sigmoid(logits) + log_sigmoid(-logits))
            - 0.5 * jnp.sum(x[13:15] ** 2)
            + normal(a, 10 * x[13], scale[0])
            + normal(b, 10 * x[14], scale[1])
            + normal(y, a[group] + b[scenario], scale[2])
        )

    return log_density


_MAKERS = {
    "mixture_code_dense": _mixture,
    "eight_schools_noncentred": _eight_schools,
    "german_credit": _german_credit,
    "google_stock": _google_stock,
    "pilots": _pilots,
}


def make_log_density(problem, plain=False):
    """`plain`: without the rules by hand that make a density faster, if it has any."""
    if plain and problem.name == "mixture_code_dense":
        return _plain_mixture(problem.data)
    return _MAKERS[problem.name](problem.data)
