"""Tells whether draws agree with known answers; plain Python, so that it can be tested where nothing is installed."""
import math

LIMIT = 5.0  # a contestant with a greater |z| is wrong


def z_score(chain_means, expected, error=0.0):
    """How many standard errors the mean over independent chains lies from `expected`, itself known to `error`.

    The spread of the chains' means is their error, however strongly the draws of one chain depend on each other. With
    few chains that is Student's t; it is turned into a normal score (Wallace 1959).
    """
    count = len(chain_means)
    if count < 2:
        raise ValueError("at least two chains are needed to know the error of a mean")
    if not all(math.isfinite(mean) for mean in chain_means):
        return math.inf
    mean = math.fsum(chain_means) / count
    variance = math.fsum((m - mean) ** 2 for m in chain_means) / (count - 1)
    combined = math.sqrt(variance / count + error**2)
    if combined == 0:
        return 0.0 if mean == expected else math.inf
    t, freedom = (mean - expected) / combined, count - 1
    scale = (8 * freedom + 1) / (8 * freedom + 3)
    return math.copysign(scale * math.sqrt(freedom * math.log1p(t * t / freedom)), t)


MOST_KURTOSIS = 25.0  # of the posteriors here; what is said to have more is not believed


def kurtosis(values):
    """Of a sequence of numbers; that of a normal distribution, 3, if they are all the same or not finite."""
    values = list(values)
    mean = math.fsum(values) / len(values)
    squares = [(value - mean) ** 2 for value in values]
    variance = math.fsum(squares) / len(values)
    result = math.fsum(square**2 for square in squares) / len(values) / variance**2 if variance > 0 else 3.0
    return result if math.isfinite(result) else 3.0


def deviation_error(given, deviation, effective_size, tails):
    """The error of a reference's standard deviation, at least what so many independent draws would give.

    A reference that did not happen to visit a long tail knows neither the tail's part of the variance nor that it
    misses it: its own estimate of the error is too small then. The kurtosis `tails` is that of the draws to be judged,
    believed up to a limit, so that nobody's wrong draws excuse themselves.
    """
    tails = min(tails, MOST_KURTOSIS)
    return max(given, deviation * math.sqrt(max(tails - 1, 0.0) / (4 * effective_size)))


def worst(scores):
    """The name and score farthest from 0 of a dict of scores."""
    return max(scores.items(), key=lambda item: abs(item[1]))


def verdict(scores):
    """Empty if all is well, else the worst quantity in words."""
    name, z = worst(scores)
    return "" if abs(z) <= LIMIT else f"wrong: {name} is {abs(z):.1f} standard errors off"
