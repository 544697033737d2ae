"""The advisor's predictions of speed-ups over lock-step beside what runs with its options measure."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common

# Pairs that had a part in writing the advisor (its documentation, its tests, and those that showed its faults), and others.
KNOWN = [
    ("delayed_rejection", "standard_normal", ["--dimension", "1", "--chains", "1024"]),
    ("elliptical_slice", "gp_regression", ["--points", "50", "--chains", "256"]),
    ("nuts", "eight_schools_noncentred", ["--warmup", "300", "--chains", "128"]),
    ("slice", "log_gamma", ["--chains", "1024"]),
    ("nuts", "google_stock", ["--warmup", "300", "--chains", "64"]),
    ("nuts", "predator_prey", ["--warmup", "100", "--chains", "32"]),
]
# Chosen anew whenever the advisor, or what it looks at, has changed; run once.
HELD_OUT = [
    ("elliptical_slice", "gp_ess_effective", ["--points", "40", "--chains", "256"]),
    ("elliptical_slice", "bod_stdnormal_prior", ["--chains", "512"]),
    ("slice", "log_gamma", ["--dimension", "8", "--chains", "256"]),
    ("slice_two_loops", "bod_stdnormal_prior", ["--chains", "512"]),
    ("delayed_rejection", "multivariate_normal", ["--dimension", "3", "--chains", "512"]),
    ("nuts", "pilots", ["--warmup", "300", "--chains", "64"]),
    ("nuts", "multivariate_normal", ["--dimension", "20", "--warmup", "300", "--chains", "128"]),
    ("nuts", "german_credit", ["--warmup", "100", "--chains", "64"]),
]


def run(lab):
    pairs = lab.pick(KNOWN[:1] + HELD_OUT[:1], KNOWN + HELD_OUT, KNOWN + HELD_OUT)
    seconds, rounds = lab.pick(0.05, 0.3, 2.0), lab.pick(1, 9, 9)  # single ratios of wall times differ by a third
    rows = []
    for sampler, target, options in pairs:
        job = ["--sampler", sampler, "--target", target, *options]
        name = "_".join([sampler, target, *(word.lstrip("-") for word in options)])
        advice = json.loads(lab.tool(f"{name}_advice.json", "advise", *job, "--seconds", str(lab.pick(0.5, 5, 5)), "--json").read_text())
        chains = int(options[options.index("--chains") + 1])
        # As many draws as take free chains so long, but no more than lock-step makes in six times that.
        rate = advice["draws_per_second"] * min(1.0, 6 / advice["speedup_over_lockstep"])
        # Nor so many that their summary takes longer than they do.
        dimension = int(options[options.index("--dimension") + 1]) if "--dimension" in options else 1
        # The advice is for long runs. With no more chains than lanes the slowest chain makes its last draws alone; of 20 draws too many.
        fewest = 100 if chains <= 64 else 20
        draws = max(fewest, min(round(seconds * rate / chains), 20_000_000 // (chains * dimension)))
        how = ["--precision", advice["precision"], "--storage", advice["storage"], "--draws", str(draws), "--json"]
        found = {"lockstep": [], "advised": []}
        for turn in range(rounds):
            for mode, schedule in (("lockstep", ["--schedule", "lockstep"]), ("advised", mode_options(advice["schedule"]))):
                report = lab.tool(f"{name}_{mode}_{turn}.json", "sample", *job, *how, *schedule)
                found[mode].append(json.loads(report.read_text())["draws_per_second"])
        ratios = [a / b for a, b in zip(found["advised"], found["lockstep"])]
        rows.append([sampler, target, chains, "yes" if (sampler, target, options) in HELD_OUT else "no", advice["schedule"],
                     advice["precision"], advice["storage"], advice["speedup_over_lockstep"], common.median(ratios), min(ratios), max(ratios)])
    lab.write("predictions.csv", ["sampler", "target", "chains", "held_out", "schedule", "precision", "storage", "predicted",
                                  "measured", "lowest", "highest"], rows)
    lab.note(text=f"{rounds} round(s) in turns, wall time; the pilot of each takes {lab.pick(0.5, 5, 5)} s")


def mode_options(schedule):
    return ["--one-chain-at-a-time"] if schedule == "one-chain-at-a-time" else ["--schedule", schedule]


if __name__ == "__main__":
    common.main(run, __doc__)
