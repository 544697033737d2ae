"""Elliptical slice sampling on the real-estate Gaussian process (section 7.2): n = 25, 100, 400, 414."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common

ALL = ["lockstep", "lockstep-skip", "lockstep-pack", "free", "free-bundled", "paper-bundled", "paper-bundled-amortized"]
FEW = ["lockstep", "lockstep-skip", "lockstep-pack", "free"]


def jobs(lab):
    """points: (numbers of chains, draws of all chains together, least draws of a chain and most, modes, rounds)."""
    powers = [2**k for k in range(11)]
    return lab.pick(
        {25: ([16, 64], 500, 4, 10000, ALL, 1)},
        {25: ([1, 4, 16, 64, 256, 1024], 10000, 8, 10000, ALL, 3),
         100: ([4, 16, 128, 1024], 8000, 8, 10000, ALL, 5),
         400: ([16, 1024], 3072, 3, 10000, FEW, 1),
         414: ([1024], 3072, 3, 10000, ["lockstep", "free", "free-bundled"], 1)},
        # Few chains leave most lanes empty, so that their draws are the dearest.
        {25: (powers, 1e6, 100, 10000, ALL, 3), 100: (powers, 100000, 50, 10000, ALL, 3), 400: (powers[::2], 10240, 10, 200, ALL, 1),
         414: (powers, 10240, 10, 200, ALL, 1)})


def run(lab):
    data = lab.data("real_estate.csv")
    for points, (chains, work, least, most, modes, rounds) in jobs(lab).items():
        lab.time(f"time_{points}", sampler="elliptical_slice", target="gp_regression", points=points, extra=data,
                 chains=chains, draws=most, work=int(work), least_draws=least, modes=modes, rounds=rounds,
                 burn_in=lab.pick(5, 6, 20), seconds=0.02)
    lab.note(data="real" if data else "synthetic",
             text="draws of all chains together: " + ", ".join(f"n = {n}: {int(job[1]):,}" for n, job in jobs(lab).items()))


if __name__ == "__main__":
    common.main(run, __doc__)
