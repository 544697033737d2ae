"""What a contestant hands back, and how the ones in JAX choose their precision."""
import dataclasses
import time

import numpy as np


@dataclasses.dataclass
class Made:
    draws: np.ndarray  # chains, draws, coordinates
    leapfrogs: np.ndarray | None = None  # chains, draws: what a chain alone would compute
    seconds: float | None = None  # the worker's clock, less what JAX spent compiling, if none
    note: str = ""


class Clock:
    def __init__(self, limit):
        self.begin, self.limit = time.perf_counter(), limit

    def seconds(self):
        return time.perf_counter() - self.begin

    def is_over(self):
        return self.seconds() > self.limit


def cut_off(clock, made, asked, things="draws"):
    return "" if made >= asked else f"cut off at {clock.limit:.0f} s: {made} of {asked} {things}"


def real_type(job):
    import jax

    jax.config.update("jax_enable_x64", job["precision"] == "double")
    return np.float64 if job["precision"] == "double" else np.float32
