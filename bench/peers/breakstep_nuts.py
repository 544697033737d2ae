"""breakstep's NUTS: by the command line for the whole contest, by bench/peers/fixed_nuts.cpp from given starts."""
import json
import os
import pathlib
import subprocess

import numpy as np

from made import Made


class NotRun(RuntimeError):
    pass


def prepare(job):
    return lambda seed: (_fixed if job["contest"] == "fixed" else _whole)(job, seed)


def _fixed(job, seed):
    folder = pathlib.Path(job["folder"])
    starts = np.load(job["starts_file"]).astype(np.float64)
    starts_file, draws_file, leapfrogs_file = folder / "starts", folder / "draws", folder / "leapfrogs"
    starts.tofile(starts_file)
    command = [job["fixed_program"], job["target"], job["precision"], job["schedule"], starts_file, draws_file]
    command += [leapfrogs_file, job["chains"], job["draws"], seed, job["step_size"], job["max_depth"], job["cores"]]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    shape = (job["chains"], job["draws"])
    draws, leapfrogs = np.fromfile(draws_file).reshape(*shape, -1), np.fromfile(leapfrogs_file).reshape(shape)
    return Made(draws, leapfrogs.astype(int), json.loads(done.stdout)["seconds"])


def _whole(job, seed):
    """The seconds are those of warm-up and draws, as for the others; the summary and the file are left out."""
    draws_file = os.path.join(job["folder"], "draws.npy")
    command = [job["program"], "sample", "--sampler", "nuts", "--target", job["target"], "--chains", job["chains"]]
    command += ["--warmup", job["warmup"], "--draws", job["draws"], "--seed", seed, "--precision", job["precision"]]
    command += ["--threads", job["cores"], "--start", "uniform", "--start-scale", 2, "--json", "--out", draws_file]
    command += ["--force", "--unconstrained"] + (["--data", job["data_file"]] if job["data_file"] else [])
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise NotRun(lines[0])
    report = json.loads(done.stdout)
    evaluations = report["evaluations_per_second"] * report["seconds"]
    leapfrogs = np.full((job["chains"], job["draws"]), evaluations / (job["chains"] * job["draws"]))
    return Made(np.load(draws_file), leapfrogs, report["warm_up"]["seconds"] + report["seconds"])
