"""breakstep's delayed rejection and elliptical slice, by the command line; the seconds are those of the kept draws."""
import json
import pathlib
import subprocess

import numpy as np

from breakstep_nuts import NotRun
from made import Made


def prepare(job):
    folder = pathlib.Path(job["folder"])
    np.savetxt(folder / "starts", np.load(job["starts_file"]).astype(np.float32), fmt="%.9g")
    command = [job["program"], "sample", "--sampler", job["sampler"], "--target", job["target"], *job["arguments"]]
    command += ["--chains", job["chains"], "--draws", job["draws"], "--precision", job["precision"]]
    command += ["--schedule", job["schedule"], "--threads", job["cores"], "--start-file", folder / "starts"]
    command += ["--unconstrained", "--json", "--out", folder / "made.npy", "--force"]
    command += ["--warmup", job["warmup"]] if job["warmup"] else []
    return lambda seed: _run([*map(str, command), "--seed", str(seed)], folder / "made.npy")


def _run(command, draws_file):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise NotRun(lines[0])
    report, draws = json.loads(done.stdout), np.load(draws_file)
    tries = report["evaluations_per_second"] * report["seconds"] / draws[..., 0].size  # only their sum is known
    return Made(draws, np.full(draws.shape[:2], tries), report["seconds"])
