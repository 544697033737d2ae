"""breakstep's MEADS, ChEES and transport slice by the command line, from the same starts as everybody's."""
import json
import pathlib
import subprocess

import numpy as np

from made import Made


class NotRun(RuntimeError):
    pass


def prepare(job):
    return lambda seed: _run(job, seed)


def _run(job, seed):
    folder = pathlib.Path(job["folder"])
    starts_file, draws_file = folder / "starts.txt", folder / "breakstep.npy"
    np.savetxt(starts_file, np.load(job["starts_file"]))
    command = [job["program"], "sample", "--sampler", job["sampler"], "--target", job["target"]]
    command += ["--data", job["data_file"], "--chains", job["chains"], "--warmup", job["warmup"]]
    command += ["--draws", job["draws"], "--seed", seed, "--precision", job["precision"], "--threads", job["cores"]]
    command += ["--start-file", starts_file, "--unconstrained", "--json", "--out", draws_file, "--force"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise NotRun(lines[0])
    report = json.loads(done.stdout)
    facts = {"warm_up": {"seconds": report["warm_up"]["seconds"]}, "draws": {"seconds": report["seconds"]}}
    (folder / "facts.json").write_text(json.dumps(facts))
    evaluations = report["evaluations_per_second"] * report["seconds"] / (job["chains"] * job["draws"])
    return Made(np.load(draws_file), np.full((job["chains"], job["draws"]), evaluations), report["seconds"])
