"""The table of section 7.4 and the appendix's: ESS per second and speed-ups, 128 chains, up to 400 draws of warm-up."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common

# Rows of the paper: name, target recommended, target as the authors' program has it, data; in the default form, NUTS' draws
# of warm-up (the paper's 400 unless that takes minutes), draws, and how often modes take turns.
ROWS = [
    ("PP", "predator_prey", "predator_prey_code", "lynx_hare.csv", 100, 10, 1),
    ("GS", "google_stock", "", "google_stock.csv", 200, 40, 9),
    ("GC", "german_credit", "", "german_credit.csv", 200, 20, 7),
    ("BOD", "bod_stdnormal_prior", "bod_code", "bod.csv", 400, 400, 5),
    ("Real estate", "gp_regression", "", "real_estate.csv", 200, 20, 3),
    ("Soil", "soil", "soil_code", "soil.csv", 400, 100, 3),
    ("Pilots", "pilots", "pilots_code", "pilots.csv", 400, 250, 3),
]
# The same in the full form: the paper's 1,000 draws after 400, and three seeds of three rounds, but for those that would take hours.
PAPERS = (400, 1000)
FULL = {"gp_regression": (400, 100, 1), "predator_prey": (*PAPERS, 1), "predator_prey_code": (400, 200, 1), "german_credit": (*PAPERS, 3)}
MODES = ["lockstep", "lockstep-skip", "lockstep-pack", "free"]
# Draws of warm-up and draws of the others in the default form: the paper's, less where a gradient is dear. MEADS takes one a draw.
BASELINES = {"chees": {"PP": (100, 100), "GC": (400, 200)}, "meads": {}, "transport_slice": {"PP": (100, 100), "GC": (400, 200)}}


def run(lab):
    here = lab.listed()
    chains = lab.pick(16, 128, 128)
    wanted = [*BASELINES, *(target for row in ROWS for target in row[1:3] if target)]
    lab.note(missing=sorted(set(wanted) - here), data={row[0]: "real" if lab.data(row[3]) else "synthetic" for row in ROWS},
             text=f"Gaussian process of {lab.pick(20, 60, 414)} points; " + lab.pick(
                 "", f"draws of warm-up: {', '.join(f'{row[0]} {row[4]}' for row in ROWS)} of NUTS (half of it on PP as coded), 400 of the others before "
                     "1,000 draws (PP: 100 and 100, GC: 400 and 200, but not of MEADS)",
                 "1,000 draws after 400 of warm-up, but 100 of NUTS on the Gaussian process, 200 after 200 of ChEES and transport slice there, and 200 of "
                 "NUTS on PP as coded; one seed of these, PP and GC, three of the others"))
    for name, recommended, coded, file, warm_up, draws, rounds in ROWS:
        data = lab.data(file)
        points = lab.pick(20, 60, 414) if name == "Real estate" else None
        for target in filter(None, (recommended, coded)):
            if target not in here:
                continue
            # A draw of the authors' predator-prey takes several times what one of the recommended target does.
            part = 2 if target == "predator_prey_code" else 1
            job = {"target": target, "extra": data, **({"points": points} if points else {})}
            own_warm_up, own_draws, own_rounds = lab.pick((20, 10, 1), (warm_up // part, draws // part, rounds), FULL.get(target, (*PAPERS, 3)))
            lab.time(f"nuts_{target}", sampler="nuts", **job, chains=[chains], draws=own_draws, warmup=own_warm_up,
                     modes=MODES, rounds=own_rounds, seeds=lab.pick([1], [1], [1] if target in FULL else [1, 2, 3]),
                     seconds=lab.pick(0.02, 0.2, 0.2))  # runs of 50 ms differ by a fifth
            for sampler, shorter in BASELINES.items():
                if sampler not in here:
                    continue
                dearest = lab.form == "full" and points and sampler != "meads"
                own_warm_up, own_draws = (200, 200) if dearest else lab.pick((20, 10), shorter.get(name, PAPERS), PAPERS)
                for schedule in ("free", "lockstep") if sampler == "transport_slice" else ("free",):
                    lab.tool(f"{sampler}_{schedule}_{target}.json", "sample", "--sampler", sampler, "--target", target, *data,
                             *(["--points", str(points)] if points else []), "--chains", str(chains), "--warmup",
                             str(own_warm_up), "--draws", str(own_draws), "--precision", "single", "--unconstrained",
                             "--json", "--schedule", schedule)


if __name__ == "__main__":
    common.main(run, __doc__)
