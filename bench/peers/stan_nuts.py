"""Stan's NUTS: the programs of bench/peers/stan compiled with the stanc and the headers that httpstan carries."""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import subprocess
import time

import httpstan
import numpy as np

from made import Clock, Made, cut_off
from problem import make_problem

SOURCES = pathlib.Path(__file__).parent / "stan"
PACKAGE = pathlib.Path(httpstan.__file__).parent
FLAGS = ["-O3", "-std=c++17", "-march=native", "-w", "-D_REENTRANT", "-DBOOST_DISABLE_ASSERTS"]
FLAGS += ["-D_GLIBCXX_USE_CXX11_ABI=0", "-I", str(PACKAGE / "include")]  # the ABI is that of httpstan's libraries


def _run(command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]} failed with {done.returncode}: {done.stderr.strip()[-500:]}")
    return done.stdout


def _object(source, folder):
    """The compiled source and the seconds that took, unless before; then the seconds it took then."""
    digest = hashlib.sha256(source.read_bytes() + httpstan.__version__.encode() + " ".join(FLAGS).encode()).hexdigest()
    result = folder / f"{source.stem}-{digest[:16]}.o"
    note = result.with_suffix(".seconds")
    if not (result.exists() and note.exists()):
        begin, unfinished = time.perf_counter(), result.with_suffix(f".{os.getpid()}")
        _run(["g++", *FLAGS, "-c", source, "-o", unfinished])
        unfinished.rename(result)
        note.write_text(str(time.perf_counter() - begin))
    return result, float(note.read_text())


def build(target, folder):
    """The program that runs chains of `target`, and the seconds its model took to compile."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    model = folder / f"{target}.cpp"
    _run([PACKAGE / "stanc", "--O1", "--name", target, "--o", model, SOURCES / f"{target}.stan"])
    (chains, _), (compiled, seconds) = _object(SOURCES / "chains.cpp", folder), _object(model, folder)
    program = folder / target
    _run(["g++", chains, compiled, "-o", program, "-L", PACKAGE / "lib", "-ltbb", f"-Wl,-rpath,{PACKAGE / 'lib'}"])
    return program, seconds


def prepare(job):
    folder = pathlib.Path(job["folder"])
    problem = make_problem(job["target"], job["data_folder"])
    program, compile_seconds = build(job["target"], job["stan_folder"])
    data = folder / f"{job['target']}.json"
    data.write_text(json.dumps({k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in problem.data.items()}))
    starts = np.load(job["starts_file"]).astype(np.float64)
    is_fixed = job["contest"] == "fixed"

    def share(k, numbers, seed):
        """One process: the chains `numbers`, one after the other."""
        starts_file, out = folder / f"stan_starts_{k}", folder / f"stan_draws_{k}"
        starts[numbers].tofile(starts_file)
        answer = json.loads(
            _run(
                [program, data, starts_file, out, len(numbers), numbers[0], 0 if is_fixed else job["warmup"]]
                + [job["draws"], seed, job["step_size"] if is_fixed else 0, job["max_depth"], job["limit"]]
            )
        )
        return np.fromfile(out).reshape(answer["finished"], job["draws"], problem.dimension + 1)

    def run(seed):
        shares = np.array_split(np.arange(job["chains"]), job["cores"])
        clock = Clock(job["limit"])
        with concurrent.futures.ThreadPoolExecutor(len(shares)) as pool:
            parts = list(pool.map(share, range(len(shares)), shares, [seed] * len(shares)))
        seconds = clock.seconds()
        values = np.concatenate(parts)
        note = cut_off(clock, len(values), job["chains"], "chains")
        return Made(values[:, :, 1:], values[:, :, 0].astype(int), seconds, note)

    run.compile_seconds = compile_seconds
    return run
