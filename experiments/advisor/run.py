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
    ("elliptical_slice", "gp_regression", ["--points", "120", "--chains", "128"]),
    ("elliptical_slice", "bod_stdnormal_prior", ["--chains", "256"]),
    ("slice", "multivariate_normal", ["--dimension", "8", "--chains", "512"]),
    ("slice_two_loops", "funnel", ["--chains", "256"]),
    ("delayed_rejection", "eight_schools_noncentred", ["--chains", "512"]),
    ("nuts", "logistic_regression", ["--warmup", "300", "--chains", "256"]),
    ("nuts", "multivariate_normal", ["--dimension", "30", "--warmup", "300", "--chains", "256"]),
    ("mala", "logistic_regression", ["--warmup", "300", "--chains", "256"]),
]


def run(lab):
    """A shared machine is fast and slow by turns of seconds to minutes, and not every way of running by the same factor: so all pairs take
    turns, with several pilots of each (of which the one of the middle prediction counts) as with the runs that judge them."""
    pairs = lab.pick(KNOWN[:1] + HELD_OUT[:1], KNOWN + HELD_OUT, KNOWN + HELD_OUT)
    pilots, rounds = lab.pick(1, 3, 3), lab.pick(1, 6, 9)
    by_turn = [[advice_on(lab, pair, turn) for pair in pairs] for turn in range(pilots)]
    advice = [sorted(of_pair, key=lambda one: one["speedup_over_lockstep"]) for of_pair in zip(*by_turn)]
    middles = [of_pair[len(of_pair) // 2] for of_pair in advice]
    rounds_made = [[measured_ratio(lab, pair, middle, turn) for pair, middle in zip(pairs, middles)] for turn in range(rounds)]
    rows = []
    for pair, of_pair, middle, measured in zip(pairs, advice, middles, zip(*rounds_made)):
        predictions = [one["speedup_over_lockstep"] for one in of_pair]
        rows.append([pair[0], pair[1], chains_of(pair), "yes" if pair in HELD_OUT else "no", middle["schedule"], middle["precision"], middle["storage"],
                     middle["speedup_over_lockstep"], predictions[0], predictions[-1], common.median(measured), min(measured), max(measured)])
    lab.write("predictions.csv", ["sampler", "target", "chains", "held_out", "schedule", "precision", "storage", "predicted", "lowest_predicted",
                                  "highest_predicted", "measured", "lowest", "highest"], rows)
    lab.note(text=f"{pilots} pilot(s) of {lab.pick(0.5, 5, 5)} s and {rounds} round(s) of each pair, all pairs in turns, wall time; medians")


def name_of(pair):
    sampler, target, options = pair
    return "_".join([sampler, target, *(word.lstrip("-") for word in options)])


def chains_of(pair):
    return int(pair[2][pair[2].index("--chains") + 1])


def advice_on(lab, pair, turn):
    sampler, target, options = pair
    file = lab.tool(f"{name_of(pair)}_advice_{turn}.json", "advise", "--sampler", sampler, "--target", target, *options,
                    "--seconds", str(lab.pick(0.5, 5, 5)), "--json")
    return json.loads(file.read_text())


def measured_ratio(lab, pair, advice, turn):
    """Draws per second as advised over those of lock-step, one run after the other."""
    sampler, target, options = pair
    # As many draws as take free chains so long, but no more than lock-step makes in six times that.
    seconds = lab.pick(0.05, 0.3, 1.0)
    rate = advice["draws_per_second"] * min(1.0, 6 / advice["speedup_over_lockstep"])
    # Nor so many that their summary takes longer than they do.
    if "--dimension" in options:
        parameters = int(options[options.index("--dimension") + 1])
    else:
        parameters = 1 if target == "log_gamma" else 20  # or fewer
    # The advice is for long runs. With no more chains than lanes the slowest chain makes its last draws alone; of 20 draws too many.
    fewest = 100 if chains_of(pair) <= 64 else 20
    draws = max(fewest, min(round(seconds * rate / chains_of(pair)), 20_000_000 // (chains_of(pair) * parameters)))
    rates = {}
    for mode, schedule in (("lockstep", ["--schedule", "lockstep"]), ("advised", mode_options(advice["schedule"]))):
        report = lab.tool(f"{name_of(pair)}_{mode}_{turn}.json", "sample", "--sampler", sampler, "--target", target, *options,
                          "--precision", advice["precision"], "--storage", advice["storage"], "--draws", str(draws), "--json", *schedule)
        rates[mode] = json.loads(report.read_text())["draws_per_second"]
    return rates["advised"] / rates["lockstep"]


def mode_options(schedule):
    return ["--one-chain-at-a-time"] if schedule == "one-chain-at-a-time" else ["--schedule", schedule]


if __name__ == "__main__":
    common.main(run, __doc__)
