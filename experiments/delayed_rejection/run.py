"""Delayed rejection (section 7.1): N(0, 1), at most 100 tries, proposals of sd √0.1 (the text) and 0.01 (the code)."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common

SCALES = {"text": 0.31622777, "code": 0.01}
# Two forms the paper compares beside the one of its figure, and how each is run.
FORMS = {
    "delayed_rejection": ["lockstep", "lockstep-skip", "lockstep-pack", "one", "free", "paper-bundled"],
    "delayed_rejection_condensed": ["lockstep", "paper-switched", "free"],
    "delayed_rejection_unrolled": ["lockstep", "paper-switched", "free"],
}


def run(lab):
    # Draws of all chains together. The paper has 10,000 of each; a few hundred would show how runs begin and end.
    work = {sampler: lab.pick(10000, 500000, 2048000) for sampler in FORMS} | {"delayed_rejection": lab.pick(10000, 2000000, 10240000)}
    for name, scale in SCALES.items():
        job = {"target": "standard_normal", "set": f"scale={scale}"}
        lab.lengths(f"lengths_{name}", sampler="delayed_rejection", **job, chains=1024,
                    draws=lab.pick(100, 1000, 10000), burn_in=100)
        for sampler, modes in FORMS.items():
            lab.time(f"time_{name}_{sampler}", sampler=sampler, **job, modes=modes,
                     chains=lab.pick([16, 256], [1, 4, 16, 64, 256, 1024], [2**k for k in range(11)]), draws=10000,
                     work=work[sampler], seeds=lab.pick([1], [1, 2, 3], list(range(1, 11))), rounds=1)
    lab.note(text="at most " + ", ".join(f"{draws:,} ({sampler.replace('_', ' ')})" for sampler, draws in work.items())
                  + " draws of all chains together; 10,000 of each otherwise")


if __name__ == "__main__":
    common.main(run, __doc__)
