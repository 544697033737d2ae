"""R(m) = E max / E of distributions by quadrature, with the parameters that give a wanted skewness."""
import math
import random


class Table:
    """A distribution on [0, ∞) given by values and its distribution function there."""

    def __init__(self, name, values, cdf):
        self.name, self.values, self.cdf = name, values, cdf

    def moment(self, function) -> float:
        """E function(X), with function(0) = 0: each cell's mass sits in its middle (at its value if discrete)."""
        total, before, previous = 0.0, 0.0, 0.0
        for value, share in zip(self.values, self.cdf):
            total += (share - before) * function(self.place(previous, value))
            before, previous = share, value
        return total

    def place(self, previous, value):
        return 0.5 * (previous + value)

    def mean_of_max(self, m: int) -> float:
        total, before, previous = 0.0, 0.0, 0.0
        for value, share in zip(self.values, self.cdf):
            power = share**m
            total += (power - before) * self.place(previous, value)
            before, previous = power, value
        return total

    def ratio(self, m: int) -> float:
        return self.mean_of_max(m) / self.mean_of_max(1)

    def skewness(self) -> float:
        mean = self.moment(lambda x: x)
        variance = self.moment(lambda x: (x - mean) ** 2)
        return self.moment(lambda x: (x - mean) ** 3) / variance**1.5


class Discrete(Table):
    def place(self, previous, value):
        return value


def normalized(name, values, masses, kind=Table):
    """`masses` of the cells that end at `values`."""
    total, sums = sum(masses), []
    for mass in masses:
        sums.append((sums[-1] if sums else 0.0) + mass / total)
    return kind(name, values, sums)


# x^(a−1) dx is d(x^a)/a, so cells of equal width in x^a have the same weight however small a is.
def with_power(name, a, top, weight, cells=20000):
    ends = [top * ((k + 1) / cells) ** (1 / a) for k in range(cells)]
    middles = [top * ((k + 0.5) / cells) ** (1 / a) for k in range(cells)]
    return normalized(name, ends, [weight(x) for x in middles])


def gamma(shape):
    name, top = f"Gamma({shape:.3g})", shape + 40 * math.sqrt(shape) + 60
    if shape < 1:
        return with_power(name, shape, top, lambda x: math.exp(-x), cells=100000)
    ends = [top * (k + 1) / 20000 for k in range(20000)]
    middles = [x - top / 40000 for x in ends]
    return normalized(name, ends, [math.exp((shape - 1) * math.log(x) - x) for x in middles])


def beta(a, b):
    return with_power(f"Beta({a:.3g}, {b:.3g})", a, 1.0, lambda x: (1 - x) ** (b - 1))


def poisson(rate):
    values = list(range(int(rate + 40 * math.sqrt(rate) + 40)))
    return normalized(f"Poisson({rate:.3g})", values,
                      [math.exp(-rate + k * math.log(rate) - math.lgamma(k + 1)) for k in values], Discrete)


def bernoulli(p):
    return Discrete(f"Bernoulli({p:.3g})", [0.0, 1.0], [1 - p, 1.0])


def solved(skewness_of, wanted, low, high):
    """The parameter, between low and high, at which a falling skewness is the wanted one (bisection of the logarithm)."""
    for _ in range(200):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if skewness_of(middle) > wanted else (low, middle)
    return math.sqrt(low * high)


def beta_skewness(a, b):
    return 2 * (b - a) * math.sqrt(a + b + 1) / ((a + b + 2) * math.sqrt(a * b))


def at_skewness(wanted):
    p = solved(lambda p: (1 - 2 * p) / math.sqrt(p * (1 - p)), wanted, 1e-8, 0.5)
    a = solved(lambda a: beta_skewness(a, 5.0), wanted, 1e-8, 5.0)
    return [beta(a, 5.0), gamma(4 / wanted**2), poisson(1 / wanted**2), bernoulli(p)]


def without_skewness():
    """Three on [0, 1]: two symmetric ones, and one that is not (three points; its third central moment is 0)."""
    share = three_points()
    return [beta(1.0, 1.0), symmetric(50.0), Discrete("0, 0.6, 1 without symmetry", [0.0, 0.6, 1.0], [share[0], share[0] + share[1], 1.0])]


def symmetric(a):
    ends = [(k + 1) / 20000 for k in range(20000)]
    return normalized(f"Beta({a:.3g}, {a:.3g})", ends,
                      [math.exp((a - 1) * math.log(4 * (x - 2.5e-5) * (1 - x + 2.5e-5))) for x in ends])


def three_points():
    """Probabilities of 0, 0.6 and 1, the last one 0.3, such that the skewness is 0."""
    def third(q):
        values, shares = (0.0, 0.6, 1.0), (q, 0.7 - q, 0.3)
        mean = sum(v * s for v, s in zip(values, shares))
        return sum(s * (v - mean) ** 3 for v, s in zip(values, shares))
    grid = [k / 1000 for k in range(1, 700)]
    low, high = next((a, b) for a, b in zip(grid, grid[1:]) if third(a) * third(b) <= 0)
    for _ in range(100):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if third(low) * third(middle) > 0 else (low, middle)
    return low, 0.7 - low, 0.3


def bernoulli_by_simulation(p, m, draws=20000, seed=1):
    """R(m) of N/B ~ Bernoulli(p) from maxima that were drawn, by inversion: max is 1 unless all m are 0."""
    generator = random.Random(f"{seed} {p} {m}")
    return sum(generator.random() > (1 - p) ** m for _ in range(draws)) / draws / p
