"""Cost per draw from one chain to a million and from one dimension to a thousand, on one thread and two."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common

MODES = ["free", "free-threads-2", "lockstep", "lockstep-skip", "lockstep-pack"]


def run(lab):
    # A run should take a tenth of a second or more, or its beginning and end are what is measured.
    cheap = {"work": lab.pick(10000, 2000000, 10000000), "least_draws": lab.pick(1, 10, 10)}
    dear = {"work": lab.pick(10000, 200000, 10000000), "least_draws": lab.pick(1, 2, 10)}
    for name, job in {"delayed_rejection": {"sampler": "delayed_rejection", "target": "standard_normal", "set": "scale=0.31622777", **cheap},
                      "elliptical_slice": {"sampler": "elliptical_slice", "target": "gaussian_likelihood", **cheap},
                      "nuts": {"sampler": "nuts", "target": "standard_normal", "set": "step_size=0.3", "dimension": 10, **dear}}.items():
        lab.time(f"chains_{name}", **job, chains=lab.pick([1, 100, 10000], [1, 10, 100, 1000, 10000, 100000, 1000000],
                                                          [10**k for k in range(7)]),
                 draws=lab.pick(100, 10000, 10000), burn_in=4,
                 modes=["free", "free-threads-2"], rounds=lab.pick(1, 3, 5), seconds=0.02)
    for d in lab.pick([1, 10], [1, 3, 10, 30, 100, 300, 1000], [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]):
        # About a tenth of a second, too.
        for sampler, extra, work in (("nuts", {"set": "step_size=0.3"}, lab.pick(2000, 5000000, 10000000)), ("slice", {}, lab.pick(2000, 10000000, 40000000))):
            lab.time(f"dimension_{sampler}_{d}", sampler=sampler, target="standard_normal", dimension=d, **extra, chains=[512],
                     draws=10000, work=max(2048, work // d), least_draws=4, burn_in=4, modes=MODES, rounds=lab.pick(1, 9, 9), seconds=0.02)


if __name__ == "__main__":
    common.main(run, __doc__)
