"""The table of section 7.4 and the appendix's: ESS per second and speed-ups, 128 chains, 400 draws of warm-up."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common

# Rows of the paper: name, target recommended, target as the authors' program has it, data, draws in the default form.
ROWS = [
    ("PP", "predator_prey", "predator_prey_code", "lynx_hare.csv", 30),
    ("GS", "google_stock", "", "google_stock.csv", 60),
    ("GC", "german_credit", "", "german_credit.csv", 30),
    ("BOD", "bod_stdnormal_prior", "bod_code", "bod.csv", 1000),
    ("Real estate", "gp_regression", "", "real_estate.csv", 20),
    ("Soil", "soil", "soil_code", "soil.csv", 500),
    ("Pilots", "pilots", "pilots_code", "pilots.csv", 1000),
]
MODES = ["lockstep", "lockstep-skip", "lockstep-pack", "free"]
BASELINES = ["chees", "meads", "transport_slice"]


def run(lab):
    here = lab.listed()
    chains = lab.pick(16, 128, 128)
    missing = []
    for name, recommended, coded, file, draws in ROWS:
        data = lab.data(file)
        points = lab.pick(20, 60, 414) if name == "Real estate" else None
        draws = lab.pick(10, draws, 1000)
        for target in filter(None, (recommended, coded)):
            if target not in here:
                missing.append(target)
                continue
            job = {"target": target, "extra": data, **({"points": points} if points else {})}
            lab.time(f"nuts_{target}", sampler="nuts", **job, chains=[chains], draws=draws, warmup=lab.pick(50, 400, 400),
                     modes=MODES, rounds=lab.pick(1, 1, 3), seeds=lab.pick([1], [1, 2], [1, 2, 3]), seconds=0.02)
            for sampler in BASELINES:
                if sampler not in here:
                    missing.append(sampler)
                    continue
                for schedule in ("free", "lockstep") if sampler == "transport_slice" else ("free",):
                    lab.tool(f"{sampler}_{schedule}_{target}.json", "sample", "--sampler", sampler, "--target", target, *data,
                             *(["--points", str(points)] if points else []), "--chains", str(chains), "--warmup",
                             str(lab.pick(50, 400, 400)), "--draws", str(draws), "--precision", "single", "--unconstrained",
                             "--json", "--schedule", schedule)
    lab.note(missing=sorted(set(missing)), data={row[0]: "real" if lab.data(row[3]) else "synthetic" for row in ROWS},
             gp_points=lab.pick(20, 60, 414), draws={row[0]: lab.pick(10, row[4], 1000) for row in ROWS})


if __name__ == "__main__":
    common.main(run, __doc__)
