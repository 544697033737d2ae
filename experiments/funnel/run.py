"""Neal's funnel by NUTS and by transport elliptical slice: how far down the neck their draws reach."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common

SAMPLERS = ["nuts", "transport_slice"]
COLUMNS = ["mean", "sd", "q5", "q50", "q95", "rhat", "ess_bulk"]


def run(lab):
    chains, warm_up, draws = lab.pick(16, 128, 128), lab.pick(20, 1000, 1000), lab.pick(20, 1000, 5000)
    rows = []
    for sampler in SAMPLERS:
        report = lab.tool(f"{sampler}.json", "sample", "--sampler", sampler, "--target", "funnel", "--chains", str(chains),
                          "--warmup", str(warm_up), "--draws", str(draws), "--precision", "single", "--json",
                          "--out", str(lab.folder / f"{sampler}.npy"), "--force")
        found = json.loads(report.read_text())["parameters"][0]
        rows.append([sampler, *(found[column] for column in COLUMNS)])
    lab.write("neck.csv", ["sampler", *COLUMNS], rows)
    lab.note(chains=chains, draws=draws,
             text=f"{chains} chains of {draws:,} draws after {warm_up:,} of warm-up, target acceptance 0.8; v ~ N(0, 9) exactly")


if __name__ == "__main__":
    common.main(run, __doc__)
