"""What the experiments have written, as the questions of the claims, the pictures and the page need it."""
import functools
import json
import math
import pathlib

import common
from common import chosen, median, ratios

LOCKSTEPS = ("lockstep", "lockstep-skip", "lockstep-pack")


class Results:
    def __init__(self, out):
        self.out = pathlib.Path(out)

    @functools.lru_cache(maxsize=None)
    def rows(self, name: str) -> list[dict]:
        return common.read_csv(self.out / (name + ".csv"))

    @functools.lru_cache(maxsize=None)
    def notes(self, experiment: str) -> dict:
        path = self.out / experiment / "notes.json"
        return json.loads(path.read_text()) if path.exists() else {}

    def was_shared(self, experiment: str) -> bool:
        """Whether others took the cores, so that wall times tell nothing: a thread then waits longer than it computes."""
        rows = [row for path in (self.out / experiment).glob("*.csv") for row in self.rows(f"{experiment}/{path.stem}")
                if "wall_seconds" in row and "threads" not in row["mode"]]
        return sum(row["wall_seconds"] for row in rows) > 1.1 * sum(row["seconds"] for row in rows)

    def lanes(self, experiment: str, precision: str = "single") -> int:
        """Lanes of one register where the experiment was run."""
        return int(self.notes(experiment)["machine"]["float_lanes" if precision == "single" else "double_lanes"])

    def forms(self) -> set[str]:
        return {self.notes(name)["form"] for name in common.EXPERIMENTS if self.notes(name)}

    def numbers_of_chains(self, name: str) -> list[int]:
        return sorted({row["m"] for row in self.rows(name)})

    def speedup(self, name: str, m: int, slower="lockstep", faster="free") -> list[float]:
        return ratios(self.rows(name), slower, faster, m=m)

    def gain_of_two_threads(self, name: str, m: int) -> list[float]:
        return ratios(self.rows(name), "free", "free-threads-2", clock="wall_seconds", m=m)

    def bound(self, name: str, m: int):
        """B(m): evaluations that lock-step executes for each one asked."""
        return median(row["executed"] / row["asked"] for row in chosen(self.rows(name), mode="lockstep", m=m))

    def rounds_ratio(self, name: str, m: int):
        """R(m) as the lock-step run itself counted it (one loop)."""
        return median(row["rounds_executed"] / row["rounds_wanted"] for row in chosen(self.rows(name), mode="lockstep", m=m)
                      if row["rounds_wanted"])

    def seconds_per_draw(self, name: str, m: int, mode: str) -> list[float]:
        return [row["seconds"] / row["draws_made"] for row in chosen(self.rows(name), mode=mode, m=m)]

    @functools.lru_cache(maxsize=None)
    def ess_per_draw(self, name: str):
        """Of the worst parameter, from the longest chains of the file: what a draw is worth does not depend on the number of
        chains, but estimates from few draws or from one chain do not show it."""
        rows = [row for row in self.rows(name) if row["m"] >= 4 and isinstance(row["ess_min"], (int, float)) and row["draws_made"]]
        longest = max((row["draws"] for row in rows), default=0)
        return median(row["ess_min"] / row["draws_made"] for row in rows if row["draws"] == longest)

    def ess_per_second(self, name: str, m: int, mode: str) -> list[float]:
        worth = self.ess_per_draw(name) or math.nan
        return [worth / seconds for seconds in self.seconds_per_draw(name, m, mode)]

    def against_best_lockstep(self, name: str, m: int):
        """(ratio, mode): how much faster free running is than the fastest lock-step mode."""
        leads = [(median(self.speedup(name, m, mode, "free")), mode) for mode in LOCKSTEPS if self.speedup(name, m, mode, "free")]
        return min(leads) if leads else None

    def histogram(self, name: str):
        """(rounds, share of draws, share of maxima) of a run of `measure lengths`."""
        rows = self.rows(name + "_histogram")
        draws, maxima = sum(row["draws"] for row in rows), sum(row["maxima"] for row in rows)
        return [(row["rounds"], row["draws"] / draws, row["maxima"] / maxima) for row in rows] if rows else []

    def ratio_of_lengths(self, name: str, m: int):
        found = chosen(self.rows(name + "_ratios"), m=m)
        return found[0] if found else None

    def largest(self, name: str):
        rows = self.rows(name + "_ratios")
        return rows[-1] if rows else None

    def chain_means(self, name: str, draws: int) -> list[float]:
        return sorted(row["mean"] for row in chosen(self.rows(name + "_means"), draws=draws))

    def deviations(self, m: int):
        """For each n: root mean square deviation of C_0's and C_F's random parts from their limits, over groups of chains."""
        rows = chosen(self.rows("theory/costs_costs"), m=m)
        ratio = self.ratio_of_lengths("theory/costs", m)
        if not rows or not ratio:
            return []
        table = []
        for n in sorted({row["draws"] for row in rows}):
            own = chosen(rows, draws=n)
            rms = lambda key, limit: math.sqrt(sum((row[key] - limit) ** 2 for row in own) / len(own))
            table.append((n, rms("mean_of_max", ratio["mean_of_max"]), rms("max_of_mean", ratio["mean"])))
        return table

    def all_paper_steps(self) -> list[dict]:
        return [found for found in map(self.paper_steps, (20, 50, 100, 200)) if found]

    def paper_steps(self, points: int) -> dict | None:
        """What the paper's steps cost on the Gaussian process of so many points: α, β, K and E(m), measured and by its model."""
        name = f"theory/steps_{points}"
        rows = self.rows(name)
        if not rows:
            return None
        m = rows[0]["m"]
        # Of the packs that ran, which may be several registers wide: this step evaluates once, and leaves nothing out.
        lanes = round(median(row["executed"] / row["steps"] for row in chosen(rows, mode="paper-switched-amortized")))
        per_step = {mode: median(row["seconds"] / row["steps"] for row in chosen(rows, mode=mode))
                    for mode in ("paper-switched", "paper-switched-amortized", "paper-bundled", "paper-bundled-amortized")}
        per_draw = {mode: median(row["steps"] * lanes / row["draws_made"] for row in chosen(rows, mode=mode)) for mode in per_step}
        density = median(row["seconds"] / row["executed"] for row in chosen(rows, mode="density")) * lanes
        one = chosen(rows, mode="lockstep")[0]
        rounds, longest = one["rounds_wanted"] / one["draws_made"], one["rounds_executed"] / one["draws_made"]
        beta = min(1.0, 2 * density / per_step["paper-switched"])
        alpha = per_step["paper-switched-amortized"] / per_step["paper-switched"]
        model = lambda share, steps: (1 + longest) / (2 * share * steps)
        return {"m": m, "points": points, "beta": beta, "alpha": alpha, "alpha_model": beta / 2 + 1 - beta, "R": longest / rounds,
                "E N": rounds, "steps_switched": per_draw["paper-switched"], "steps_bundled": per_draw["paper-bundled"],
                "steps_amortized": per_draw["paper-bundled-amortized"],
                "E_switched": median(self.speedup(name, m, faster="paper-switched")),
                "E_switched_model": model(1, per_draw["paper-switched"]),
                "E_amortized": median(self.speedup(name, m, faster="paper-switched-amortized")),
                "E_amortized_model": model(beta / 2 + 1 - beta, per_draw["paper-switched-amortized"]),
                "E_bundled": median(self.speedup(name, m, faster="paper-bundled")),
                "E_bundled_amortized": median(self.speedup(name, m, faster="paper-bundled-amortized")),
                "gain_of_amortising": median(ratios(rows, "paper-switched", "paper-switched-amortized", m=m)),
                "gain_of_bundling": median(ratios(rows, "paper-switched", "paper-bundled", m=m))}


def slope(points) -> float:
    """Of log y over log x by least squares."""
    logs = [(math.log(x), math.log(y)) for x, y in points if y > 0]
    mx, my = sum(x for x, _ in logs) / len(logs), sum(y for _, y in logs) / len(logs)
    return sum((x - mx) * (y - my) for x, y in logs) / sum((x - mx) ** 2 for x, _ in logs)
