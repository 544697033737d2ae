"""The motivating figure: shrinks per draw of elliptical slice sampling on the real-estate Gaussian process, 1,024 chains."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common


def run(lab):
    data = lab.data("real_estate.csv")
    chains = lab.pick(64, 1024, 1024)
    lab.note(data="real" if data else "synthetic", chains=chains, points_of_means=lab.pick(10, 25, 414),
             points_of_shrinks=lab.pick(20, 414, 414))
    # Chain means after 10,000 draws need a hundred million evaluations: of few points unless there are hours.
    points, draws = lab.pick((10, 100), (25, 10000), (414, 10000))
    lab.lengths("means", sampler="elliptical_slice", target="gp_regression", points=points, extra=data, chains=chains,
                draws=draws, burn_in=lab.pick(10, 100, 20))
    # The recommended posterior, and what the authors' program samples (the prior counted twice).
    points, draws = lab.pick((20, 20), (414, 10), (414, 100))
    for target in ("gp_regression", "gp_ess_effective"):
        lab.lengths(f"shrinks_{target}", sampler="elliptical_slice", target=target, points=points, extra=data, chains=chains,
                    draws=draws, burn_in=lab.pick(5, 6, 20))


if __name__ == "__main__":
    common.main(run, __doc__)
