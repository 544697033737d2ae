"""NUTS on the correlated mixture of Gaussians (section 7.3), as the text defines it and as the authors' program does."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common

# The authors' program's step. The text gives none, but an acceptance; its Gaussians are √2 as wide as the program's.
STEPS = {"mixture_code": 0.0316227766, "mixture_paper": 0.0447213595, "mixture_code_dense": 0.0316227766}
MODES = ["lockstep", "lockstep-skip", "lockstep-pack", "one", "free", "paper-bundled"]

# What vmap does: in contiguous storage, the default here, lock-step leaves out the vectors of waiting lanes.
NOTHING_LEFT_OUT = ["lockstep-interleaved"]


def run(lab):
    chains = lab.pick([5, 50], [1, 5, 20, 100, 500], [1, 5, 20, 100, 500])
    seeds = lab.pick([1], [1, 2, 3, 4, 5], [1, 2, 3, 4, 5])
    for target in ("mixture_code", "mixture_paper"):
        job = {"sampler": "nuts", "target": target, "set": f"step_size={STEPS[target]}", "start": "mixture"}
        lab.lengths(f"lengths_{target}", **job, chains=lab.pick(50, 500, 500), draws=lab.pick(20, 1000, 1000), burn_in=10)
        # Draws are the same bits in every mode, so effective sizes need the fastest one only.
        lab.time(f"sizes_{target}", **job, chains=chains, draws=lab.pick(50, 400, 1000), seeds=seeds, modes=["free"], rounds=1)
        lab.time(f"time_{target}", **job, chains=chains, draws=1000, work=lab.pick(400, 20000, 500000), seeds=seeds,
                 modes=MODES + (NOTHING_LEFT_OUT if target == "mixture_code" else []), rounds=1)
    dense = {"sampler": "nuts", "target": "mixture_code_dense", "set": f"step_size={STEPS['mixture_code_dense']}", "start": "mixture"}
    lab.time("time_mixture_code_dense", **dense, chains=chains, draws=1000, work=lab.pick(200, 20000, 200000), seeds=seeds[:3],
             modes=MODES + NOTHING_LEFT_OUT, rounds=1)
    # Where the authors' chains begin, far in the tail.
    lab.lengths("lengths_as_started", sampler="nuts", target="mixture_code", set=f"step_size={STEPS['mixture_code']}",
                start_scale=10, chains=lab.pick(20, 500, 500), draws=lab.pick(20, 1000, 1000))
    for target in ("mixture_code", "mixture_paper"):
        for sampler, step in (("nuts", STEPS[target]), ("mala", 1e-3)):
            name = f"path_{target}_{sampler}"
            lab.tool(name + ".json", "sample", "--sampler", sampler, "--target", target, "--set", f"step_size={step}",
                     "--chains", "1", "--draws", str(lab.pick(50, 1000, 1000)), "--seed", "1", "--precision", "single",
                     "--unconstrained", "--json", "--out", str(lab.folder / f"{name}.npy"), "--force")
    lab.note(text=f"times from {lab.pick(400, 20000, 500000):,} draws of all chains together, effective sizes from "
                  f"{lab.pick(50, 400, 1000):,} draws of each")


if __name__ == "__main__":
    common.main(run, __doc__)
