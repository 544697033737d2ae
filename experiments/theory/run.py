"""Sections 4 and 5: R(m) of known distributions, long-run costs, E(m) ≤ R(m), and what amortising and bundling save."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common
from theory import distributions


def profiles(lab):
    """R(m) at skewness 1 and 10, and of distributions without skewness."""
    rows = []
    for skewness in (1, 10):
        for distribution in distributions.at_skewness(skewness):
            rows += [[skewness, distribution.name, distribution.skewness(), m, distribution.ratio(m)]
                     for m in (2**k for k in range(15))]
    for distribution in distributions.without_skewness():
        rows += [[0, distribution.name, distribution.skewness(), m, distribution.ratio(m)] for m in (2**k for k in range(15))]
    lab.write("profiles.csv", ["nominal_skewness", "distribution", "skewness", "m", "R"], rows)
    lab.write("bernoulli.csv", ["p", "m", "closed_form", "simulated"],
              [[p, m, (1 - (1 - p) ** m) / p, distributions.bernoulli_by_simulation(p, m)]
               for p in (0.5, 0.1, 0.01) for m in (1, 10, 100, 1000)])


def long_run(lab):
    """C_0 and C_F against n: groups of chains of elliptical slice sampling, whose loop is short and cheap."""
    lab.lengths("costs", sampler="elliptical_slice", target="gaussian_likelihood", chains=1024,
                draws=lab.pick(320, 10000, 100000), burn_in=100)


def bundling_and_amortising(lab):
    """The paper's steps (nothing skipped, refilled or parked) on densities of growing price; of fewer points, packs would be several
    registers wide, and the density by itself, whose share of a step is wanted, is timed on one."""
    modes = ["lockstep", "paper-switched", "paper-switched-amortized", "paper-bundled", "paper-bundled-amortized", "density"]
    for points, work in lab.pick(((20, 1000),), ((20, 100000), (50, 20000), (100, 8000)),
                                 ((20, 400000), (50, 100000), (100, 40000), (200, 8000))):
        lab.time(f"steps_{points}", sampler="elliptical_slice", target="gp_regression", points=points,
                 extra=lab.data("real_estate.csv"), chains=lab.pick([64], [256], [256]), draws=1000, work=work,
                 burn_in=10, modes=modes, rounds=lab.pick(1, 5, 7))
    lab.time("condensed", sampler="delayed_rejection_condensed", target="standard_normal", set="scale=0.31622777",
             chains=lab.pick([64], [16, 128, 1024], [16, 128, 1024]), draws=10000, work=lab.pick(10000, 100000, 4000000),
             modes=["lockstep", "paper-switched"], rounds=lab.pick(1, 3, 7))


def run(lab):
    profiles(lab)
    long_run(lab)
    bundling_and_amortising(lab)
    lab.note(data="real" if lab.data("real_estate.csv") else "synthetic")


if __name__ == "__main__":
    common.main(run, __doc__)
