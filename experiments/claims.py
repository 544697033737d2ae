"""The paper's quantitative claims, numbered, each with a verdict computed from what was measured here."""
import math
from dataclasses import dataclass

from common import chosen, median
from results import LOCKSTEPS, Results, slope

HOLDS, BETTER, FAILS, UNKNOWN = "holds", "better here", "does not hold here", "not measured"


@dataclass
class Claim:
    number: int
    where: str
    text: str
    measured: str
    verdict: str
    why: str


def span(values) -> str:
    values = sorted(values)
    return f"{median(values):.3g}" if len(values) == 1 else f"{median(values):.3g} ({values[0]:.3g} to {values[-1]:.3g})"


def near(value, wanted, tolerance=0.2) -> str:
    return HOLDS if abs(value - wanted) <= tolerance * abs(wanted) else FAILS


def at_least(value, wanted, tolerance=0.1) -> str:
    """For gains: more is better."""
    return BETTER if value > (1 + tolerance) * wanted else HOLDS if value >= (1 - tolerance) * wanted else FAILS


class Claims:
    def __init__(self, results: Results):
        self.results = results
        self.list: list[Claim] = []

    def add(self, where, text, answer, *, why="", whys=None):
        """`answer` is None, or (measured, verdict) with an optional reason."""
        measured, verdict, *reason = answer if answer else ("", UNKNOWN, "not part of this form of the run, or its rows are missing")
        chosen_why = reason[0] if reason else (whys or {}).get(verdict, why)
        self.list.append(Claim(len(self.list) + 1, where, text, measured, verdict, chosen_why))

    def all(self) -> list[Claim]:
        self.introduction()
        self.motivation()
        self.machines()
        self.theory()
        self.design()
        self.delayed_rejection()
        self.elliptical_slice()
        self.nuts()
        self.tables()
        return self.list

    # Section 1

    def introduction(self):
        waste = 1 - (99 * 10 + 1000) / (100 * 1000)
        self.add("1", "100 chains of which 99 take 10 steps and one takes 1,000 waste about 99 % of the work",
                 (f"{100 * waste:.1f} %, by arithmetic", HOLDS), why="1 − (99·10 + 1,000) / (100·1,000); 99 % is rounded up")
        worst = self.results.largest("nuts/lengths_mixture_code")
        self.add("1", "simulations show that the effect can be this drastic",
                 worst and (f"{100 * (1 - 1 / worst['R']):.1f} % of leapfrog steps wasted, NUTS, {worst['m']} chains",
                            HOLDS if worst["R"] > 20 else FAILS), why="1 − 1/R(m) of the mixture of section 7.3")

    # Section 2.2, figure 1

    def motivation(self):
        results = self.results
        notes = results.notes("motivation")
        coded, proper = results.largest("motivation/shrinks_gp_ess_effective"), results.largest("motivation/shrinks_gp_regression")
        full = notes.get("points_of_shrinks") == 414 and proper and coded
        both = "the posterior and, in brackets, what the authors' program samples (prior counted twice); the paper may count proposals, one more than shrinks"
        self.add("2.2", "elliptical slice sampling on the real-estate data shrinks about 6 times per draw",
                 full and (f"{proper['mean']:.2f} [{coded['mean']:.2f}] shrinks, n = 414", near(proper["mean"] + 1, 6)), why=both,
                 whys={FAILS: both + "; neither agrees, so the authors' posterior differs from both"})
        self.add("2.2", "the slowest of 1,024 chains shrinks more than 18 times",
                 full and (f"{proper['mean_of_max']:.1f} [{coded['mean_of_max']:.1f}]",
                           HOLDS if max(proper["mean_of_max"], coded["mean_of_max"]) + 1 > 17 else FAILS), why=both)
        self.add("2.2", "E max N ≈ 3 E N for 1,024 chains",
                 full and (f"R = {proper['R']:.2f} [{coded['R']:.2f}]; {(proper['mean_of_max'] + 1) / (proper['mean'] + 1):.2f} counting proposals",
                           near((proper["mean_of_max"] + 1) / (proper["mean"] + 1), 3)), why=both)
        for draws, (low, high), width in ((100, (5, 8), 3), (10000, (6.2, 6.4), 0.2)):
            means = results.chain_means("motivation/means", draws)
            found = means and max(means) - min(means)
            centre = means and sum(means) / len(means)
            # Few points give another mean; what carries over is the width in units of the mean.
            wanted = width / 6.3
            self.add("2.2", f"after {draws:,} draws the chains' mean numbers of shrinks lie in [{low}, {high}]",
                     means and (f"[{means[0]:.3g}, {means[-1]:.3g}], counting proposals [{means[0] + 1:.3g}, {means[-1] + 1:.3g}], of {len(means):,} chains, n = {notes['points_of_means']}: width / mean {found / centre:.3f} "
                                f"(the paper's {wanted:.3f})", near(found / centre, wanted, 0.5)),
                     whys={HOLDS: "the interval narrows as 1/√n; its place depends on the number of points",
                           FAILS: "fewer points: the loop is shorter and its relative spread larger, so chains differ more"})

    # Section 3

    def machines(self):
        rows = self.results.rows("machines/figures")
        self.add("3, figure 3", "the machines of delayed rejection, elliptical slice, slice and NUTS have 3, 3, 5 and 5 states and the edges drawn",
                 rows and ("; ".join(f"{row['machine'].replace('_', ' ')}: {row['edges']} edges" for row in rows),
                           HOLDS if all(row["same"] == "yes" for row in rows) else FAILS),
                 why="compared edge by edge with what `breakstep fsm` converts; NUTS needs a do-while inside (docs/paper-corrections.md)")

    # Section 4

    def theory(self):
        results = self.results
        for name, column, text in (("C₀", 1, "lock-step's cost per draw settles at rate n^(−1/2)"),
                                   ("C_F", 2, "the free machine's cost per draw settles at rate n^(−1/2)")):
            table = results.deviations(32)
            exponent = table and slope([(row[0], row[column]) for row in table])
            self.add("4.1, theorem", text, table and (f"exponent {exponent:.2f} from n = {table[0][0]} to {table[-1][0]:,}, m = 32",
                                                      near(exponent, -0.5, 0.15)),
                     why=f"rms deviation of {name}'s random part from its limit over groups of 32 chains of elliptical slice sampling")
        steps = results.all_paper_steps()
        worst = max((max(row[k] for k in ("E_switched", "E_amortized", "E_bundled", "E_bundled_amortized")) / row["R"] for row in steps), default=None)
        self.add("4.2", "E(m) ≤ R(m): no way of stepping gains more than R(m)",
                 steps and (f"largest E/R of the paper's steps {worst:.2f}", HOLDS if worst <= 1.05 else FAILS),
                 why="times of lock-step over times of each step, without skipping, refilling and parking")
        gaps = [abs(row[f"E_{k}"] / row[f"E_{k}_model"] - 1) for row in steps for k in ("switched", "amortized")]
        self.add("4.2", "the formula for E(m) from block costs, α and K",
                 steps and (f"measured within {100 * max(gaps):.0f} % of the formula (median {100 * median(gaps):.0f} %)",
                            HOLDS if median(gaps) < 0.2 else FAILS), why="blocks cost what their evaluation costs; the rest is noise and bookkeeping")
        tight = [(m, median(results.speedup("theory/condensed", m, faster="paper-switched")) / results.rounds_ratio("theory/condensed", m))
                 for m in results.numbers_of_chains("theory/condensed") if m >= 16]
        self.add("4.2", "the bound is tight: with one state E(m) = R(m)",
                 tight and (", ".join(f"E/R = {share:.2f} at m = {m}" for m, share in tight), HOLDS if max(s for _, s in tight) > 0.9 else FAILS),
                 whys={FAILS: "delayed rejection in one state, as the theorem asks: its one state must also begin and end draws, which lock-step does "
                              "outside its loop, and the density costs next to nothing, so the premise c_¬k = 0 is not met"})
        profile = results.rows("theory/profiles")
        growth = {name: [row["R"] / math.log(row["m"]) for row in chosen(profile, distribution=name) if row["m"] >= 256]
                  for name in {row["distribution"] for row in profile if row["nominal_skewness"] == 1}}
        self.add("4.2", "R(m) = O(ln m) for sub-exponential N",
                 profile and ("; ".join(f"{name}: R/ln m from {ratio[0]:.2f} to {ratio[-1]:.2f}" for name, ratio in sorted(growth.items())),
                              HOLDS if all(ratio[-1] <= 1.1 * ratio[0] for ratio in growth.values()) else FAILS),
                 why="m = 256 to 16,384, skewness 1; the ratio must not grow")
        closed = results.rows("theory/bernoulli")
        worst = max((abs(row["simulated"] / row["closed_form"] - 1) for row in closed), default=0)
        self.add("4.2", "N/B ~ Bernoulli(p) has R(m) = (1 − (1 − p)^m) / p",
                 closed and (f"simulation within {100 * worst:.1f} %", HOLDS if worst < 0.1 else FAILS), why="20,000 maxima for each p and m; the largest error is where the maximum is rare")
        flat = {row["distribution"]: row["R"] for row in profile if row["nominal_skewness"] == 0 and row["m"] == 1024}
        self.add("4.2", "distributions on [0, B] with zero skewness have R(m) = 2",
                 flat and ("; ".join(f"{name}: R(1024) = {value:.2f}" for name, value in flat.items()),
                           HOLDS if all(abs(value - 2) < 0.1 for value in flat.values()) else FAILS),
                 why="true only as m → ∞, if the mean is B/2 and N comes close to B: R(m) ≤ B / E N always, with equality in that limit")
        skewed = [row["R"] for row in profile if row["nominal_skewness"] == 10 and row["m"] == 1024]
        self.add("4.2, figure 4", "distributions with skewness 10 can have R(m) ≈ 100",
                 skewed and (f"R(1024) = {min(skewed):.0f} to {max(skewed):.0f}", HOLDS if min(skewed) < 120 and max(skewed) > 80 else FAILS),
                 why="Beta, Gamma, Poisson and Bernoulli with parameters solved for that skewness")

    # Section 5

    def design(self):
        steps = self.results.all_paper_steps()
        self.add("5.1", "bundling runs a draw in fewer steps (a smaller K)",
                 steps and ("; ".join(f"n = {row['points']}: {row['steps_switched']:.2f} → {row['steps_bundled']:.2f} steps per draw" for row in steps),
                            HOLDS if all(row["steps_bundled"] < row["steps_switched"] for row in steps) else FAILS),
                 why="switched steps need K − 1 + E N with K = 3; bundled ones save init's and done's own steps")
        gaps = [abs(row["alpha"] - row["alpha_model"]) for row in steps]
        self.add("5.2", "amortising cuts a step's cost to β/M + 1 − β",
                 steps and ("; ".join(f"n = {row['points']}: α = {row['alpha']:.2f}, by the formula {row['alpha_model']:.2f} (β = {row['beta']:.2f})" for row in steps),
                            HOLDS if max(gaps) < 0.1 else FAILS), why="M = 2; β from the density timed by itself in the same rounds")
        self.add("5.2", "with M = 2 and β ≈ 1 amortising doubles the speed",
                 steps and (f"× {steps[-1]['gain_of_amortising']:.2f} at n = {steps[-1]['points']}", near(steps[-1]["gain_of_amortising"], 2)),
                 why="the paper's step with nothing skipped; when blocks nobody wants are skipped, less is left to save")

    # Section 7.1

    def delayed_rejection(self):
        results = self.results
        base = "delayed_rejection/time_text_delayed_rejection"
        ms = results.numbers_of_chains(base)
        complete = all(results.rows(base + form) for form in ("", "_condensed", "_unrolled"))
        top = ms[-1] if complete and ms[-1] >= 256 else None
        # Forms are timed in runs of their own, so they are compared through lock-step, which each run has.
        one = top and median(results.speedup(base + "_condensed", top, faster="paper-switched"))
        four = top and median(results.speedup(base + "_unrolled", top, faster="paper-switched"))
        self.add("7.1, figure 6", "a body of one state is about 3 × as efficient as one of four",
                 top and (f"× {one / four:.2f} at m = {top}", at_least(one / four, 3, 0.2)),
                 why="the paper's step: four states quadruple the steps, and all blocks run at each",
                 whys={BETTER: "the paper's step: four states quadruple the steps of a round, and each step costs calls of all blocks"})
        self.add("7.1", "the condensed machine is near an order of magnitude faster at m = 1,024",
                 top and (f"paper's step × {one:.1f}; free × {span(results.speedup(base, top))} at m = {top}; R = {results.rounds_ratio(base, top):.1f}",
                          at_least(one, 10)), why="lock-step waits for a chain of 100 tries at nearly every draw")
        first = complete and ms[0] == 1 and results.speedup(base + "_condensed", 1, faster="paper-switched")
        self.add("7.1", "bundling loses nothing at m = 1",
                 first and (f"paper's step, one state: × {span(first)}; free: × {span(results.speedup(base, 1))}",
                            at_least(median(first), 1, 0.15)),
                 whys={FAILS: "one chain leaves all lanes of a register but one idle in either; the one state also decides at each try whether a draw begins or "
                              "ends, by selects, and costs more than lock-step's three blocks; free running with three states loses little"})
        if top:
            flat = [median(results.seconds_per_draw(base, m, "free")) for m in ms if m >= 16]
            growth = median(results.seconds_per_draw(base, top, "lockstep")) / median(results.seconds_per_draw(base, 16, "lockstep"))
            ratio = results.rounds_ratio(base, top) / results.rounds_ratio(base, 16)
        self.add("7.1", "lock-step's time follows E max N, the machine's stays flat",
                 top and (f"from m = 16 to {top}: lock-step × {growth:.1f}, R × {ratio:.1f}; free within a factor {max(flat) / min(flat):.2f}, from first to last × {flat[-1] / flat[0]:.2f}",
                          HOLDS if max(flat) / min(flat) < 1.6 and 0.5 < growth / ratio < 2 else FAILS),
                 why="time per draw and chain; below one full pack idle lanes cost, not waiting. Where free's falls, there are chains enough to take several registers at a time")

    # Section 7.2

    def elliptical_slice(self):
        results = self.results
        runs = [n for n in (414, 400, 100, 25) if results.rows(f"elliptical_slice/time_{n}")]
        big = next((n for n in runs if 1024 in results.numbers_of_chains(f"elliptical_slice/time_{n}") and n >= 100), None)
        name = f"elliptical_slice/time_{big}"
        proper = results.largest("motivation/shrinks_gp_regression")
        full = results.notes("motivation").get("points_of_shrinks") == 414 and proper
        single = full and results.ratio_of_lengths("motivation/shrinks_gp_regression", 1)
        self.add("7.2, figure 5", "lock-step's iterations per draw grow from 6 (1 chain) to 18 (1,024 chains)",
                 full and (f"{single['mean_of_max']:.1f} → {proper['mean_of_max']:.1f} shrinks, {single['mean_of_max'] + 1:.1f} → {proper['mean_of_max'] + 1:.1f} proposals, n = 414",
                           HOLDS if near(single["mean_of_max"] + 1, 6) == near(proper["mean_of_max"] + 1, 18) == HOLDS else FAILS),
                 why="counting proposals, as the compared library does")
        rows = results.rows("motivation/shrinks_gp_regression_ratios")
        if full:
            steps = [b["mean_of_max"] - a["mean_of_max"] for a, b in zip(rows, rows[1:])]
        self.add("7.2", "the growth is roughly logarithmic in m",
                 full and (f"each doubling adds {min(steps):.2f} to {max(steps):.2f} shrinks", HOLDS if max(steps) < 3 * min(steps) else FAILS),
                 why="equal additions per doubling are a logarithm")
        gains = big and results.speedup(name, 1024)
        self.add("7.2", "at 1,024 chains the machine is about 3 × faster (over half an hour → about 10 minutes)",
                 gains and (f"× {span(gains)}, n = {big}; B = {results.bound(name, 1024):.2f}", at_least(median(gains), 3)),
                 why="free over our own lock-step, same draws; minutes are of another machine")
        block = big and chosen(results.rows(name), mode="lockstep", m=1024)
        if block:
            runs_of = {part.split(":")[0]: int(part.split(":")[2]) for part in block[0]["blocks"].split(";")}
            share = runs_of["shrink"] / (runs_of["shrink"] + runs_of["init"])
        self.add("7.2", "about 80 % of the time is spent in SHRINK",
                 block and (f"{100 * share:.0f} % of the evaluations asked, n = {big}", near(share, 0.8, 0.1)),
                 why="N / (N + 1): one evaluation in init, N in shrink, and nothing else costs")
        self.add("7.2", "amortising nearly reaches the bound R(m)",
                 gains and (f"{100 * median(gains) / results.rounds_ratio(name, 1024):.0f} % of R, {100 * median(gains) / results.bound(name, 1024):.0f} % of B, n = {big}, m = 1,024",
                            HOLDS if median(gains) > 0.9 * results.bound(name, 1024) else FAILS),
                 whys={FAILS: f"{self.occupancy(name, 1024)} of the evaluated lanes had asked; so short a run (see the draws) spends part of itself on trying which "
                              "step is faster, and ends with idle lanes. B(m) counts init's evaluations too, and is below R(m)"},
                 why="B(m) counts evaluations, init's included, and is below R(m), which counts rounds of the loop: R cannot be reached")
        lost = big and results.rows("theory/steps_100") and results.paper_steps(100)
        own = big and results.speedup(name, 1024, "free-bundled", "free")
        self.add("7.2", "without amortising a factor of 2 is lost",
                 lost and own and (f"paper's step × {lost['gain_of_amortising']:.2f} (n = 100); free × {span(own)} (n = {big})",
                                   near(lost["gain_of_amortising"], 2)),
                 why="free running skips blocks nobody wants, so it loses less without amortising")
        series = [(n, median(results.speedup(f"elliptical_slice/time_{n}", 1024)) / results.bound(f"elliptical_slice/time_{n}", 1024))
                  for n in sorted(runs) if 1024 in results.numbers_of_chains(f"elliptical_slice/time_{n}")]
        self.add("appendix, figures", "efficiency grows with the number of points; at n = 400 the bound is nearly met",
                 len(series) > 1 and (", ".join(f"n = {n}: {100 * share:.0f} % of B" for n, share in series),
                                      HOLDS if series[-1][1] > 0.9 and series[-1][1] >= series[0][1] - 0.05 else FAILS),
                 why="the dearer the density, the less the rest of a step matters",
                 whys={FAILS: "the dearest has the fewest draws, and a run of one or two draws per chain spends part of itself on trying which step is faster"})
        medium = "elliptical_slice/time_25"
        rates = {m: 1 / median(results.seconds_per_draw(medium, m, "free")) for m in results.numbers_of_chains(medium)}
        self.add("appendix, figures", "effective draws per second are best at m = 1,024",
                 1024 in rates and (", ".join(f"m = {m}: {value:.3g}" for m, value in rates.items()) + " draws/s, n = 25",
                                    HOLDS if rates[1024] >= 0.9 * max(rates.values()) else FAILS),
                 why=f"what a draw is worth does not depend on m; a core has {rates and results.lanes('elliptical_slice')} lanes and needs a few packs to fill them")

    def occupancy(self, name, m) -> str:
        """How full the lanes were that evaluated, free."""
        shares = [row["asked"] / row["executed"] for row in chosen(self.results.rows(name), m=m, mode="free")]
        return span([100 * share for share in shares]) + " %" if shares else "?"

    # Section 7.3

    def nuts(self):
        results = self.results
        half_turn = math.pi * math.sqrt(99.01)
        for target, name, step, width in (("as coded", "mixture_code", 0.0316, math.sqrt(0.5)), ("as in the text", "mixture_paper", 0.0447, 1)):
            facts = {row["fact"]: row["mean"] for row in results.rows(f"nuts/lengths_{name}_facts")}
            histogram = results.histogram(f"nuts/lengths_{name}")
            largest = results.largest(f"nuts/lengths_{name}")
            enough = histogram and largest["m"] == 500
            few, many = sum(d for n, d, _ in histogram if n < 20), sum(d for n, d, _ in histogram if n > 1000)
            most = sum(m for n, _, m in histogram if n > 1000)
            self.add("7.3", f"acceptance ≈ 0.85 (mixture {target})",
                     facts and (f"{facts['accept_stat']:.3f} at step {step}", near(facts["accept_stat"], 0.85, 0.06)),
                     why="the step is the authors' program's; the text gives none, and for its mixture, √2 as wide, it is √2 as long")
            self.add("7.3", f"P(N < 20) ≈ 0.95 (mixture {target})", enough and (f"{few:.3f}", near(few, 0.95, 0.03)),
                     why="leapfrog steps of a draw, 500 chains of 1,000 draws that begin in the distribution")
            longest = max((n for n, d, _ in histogram if d > 0), default=0)
            why = (f"half an oscillation along the long axis takes π·sd = {half_turn * width:.0f} units, {half_turn * width / step:.0f} steps, so trajectories turn back "
                   "before; the shape of the distribution (few steps, rarely hundreds) and R(m) are the paper's, its count is not")
            self.add("7.3", f"P(N > 1,000) ≈ 0.01 (mixture {target})",
                     enough and (f"{many:.4f}; P(N > 200) = {sum(d for n, d, _ in histogram if n > 200):.4f}, longest {longest}", near(many, 0.01, 0.6)), why=why)
            self.add("7.3", f"P(some of 500 chains > 1,000) ≈ 0.99 (mixture {target})",
                     enough and (f"{most:.3f}; of some > 200: {sum(m for n, _, m in histogram if n > 200):.3f}; R = {largest['R']:.1f}", near(most, 0.99, 0.02)), why=why)
        for m, wanted, text in ((100, 10, "nearly an order of magnitude at m = 100"), (500, 10 ** 0.5, "half an order of magnitude or more at m = 500")):
            dense, cheap = "nuts/time_mixture_code_dense", "nuts/time_mixture_code"
            gains, plain = results.speedup(dense, m), results.speedup(cheap, m)
            self.add("7.3, figure 7", f"speed-up of {text}",
                     gains and (f"dense gradient × {span(gains)}; " + (f"O(d) gradient × {span(plain)}; " if plain else "") +
                                f"B = {results.bound(dense, m):.1f}", at_least(median(gains), wanted)),
                     why=f"free over our own lock-step, same draws; {self.occupancy(dense, m)} of the evaluated lanes had asked")
        paths = [results.out / f"nuts/path_mixture_code_{sampler}.json" for sampler in ("nuts", "mala")]
        answer = None
        if all(path.exists() for path in paths):
            import json
            spreads = [json.loads(path.read_text())["parameters"][0]["sd"] for path in paths]
            answer = (f"sd of the first coordinate over one chain: NUTS {spreads[0]:.2f}, MALA {spreads[1]:.3f} (the target's is {math.sqrt(25.5):.2f})",
                      HOLDS if spreads[1] < 0.5 * spreads[0] else FAILS)
        self.add("7.3", "MALA fails to explore the distribution", answer,
                 why="1,000 draws at the authors' step 0.001; one NUTS chain of 1,000 draws does not visit both modes evenly either")

    # Section 7.4 and the appendix

    def tables(self):
        results = self.results
        for where, table in (("7.4, table 1", {"PP": ("predator_prey", 1.5), "GS": ("google_stock", 3.5), "GC": ("german_credit", 1.2), "BOD": ("bod_stdnormal_prior", 0.8)}),
                             ("appendix, table 2", {"Real estate": ("gp_regression", 3.15), "Soil": ("soil", 2.43), "Pilots": ("pilots", 0.91)})):
            for row, (target, paper) in table.items():
                name = f"tables/nuts_{target}"
                m = (results.numbers_of_chains(name) or [0])[0]
                gains = m >= 128 and results.speedup(name, m)
                best = gains and results.against_best_lockstep(name, m)
                self.add(where, f"NUTS gains × {paper} on {row}",
                         gains and (f"× {span(gains)} over lock-step (B = {results.bound(name, m):.2f}), × {best[0]:.2f} over {best[1]}", at_least(median(gains), paper)),
                         why="128 chains, tuned by our pooled warm-up (its draws are under Circumstances); recommended target, so trajectories differ from the paper's",
                         whys={FAILS: "tuned on all chains, our trajectories differ less in length than the paper's, so there is less waiting to save: see B"})
        self.add("7.4, table 1", "transport elliptical slice gains × 1.7, 2.2, 1.0, 1.1 on PP, GS, GC, BOD", self.transport(),
                 why="its rows fill when `breakstep list` shows transport_slice")
        shares = []
        for target in ("predator_prey", "google_stock", "gp_regression", "soil", "pilots", "bod_stdnormal_prior"):
            name = f"tables/nuts_{target}"
            m = (results.numbers_of_chains(name) or [0])[0]
            if m >= 128:
                shares.append((target, median(results.speedup(name, m)) / results.bound(name, m)))
        self.add("7.4, appendix", "gains are larger the dearer the density (more of the bound is reached)",
                 len(shares) == 6 and (", ".join(f"{target.replace('_', ' ')} {100 * share:.0f} % of B" for target, share in shares),
                                       HOLDS if min(s for _, s in shares[:3]) > max(s for _, s in shares[4:]) else FAILS),
                 why="predator-prey, Google stock and the Gaussian process are the dear ones, soil in between, pilots and BOD cheap",
                 whys={FAILS: "the cheap targets reach as much of their bound as the dear ones: skipping and refilling leave little besides the density to pay"})

    def transport(self):
        import json
        found = []
        for target in ("predator_prey", "google_stock", "german_credit", "bod_stdnormal_prior"):
            paths = [self.results.out / f"tables/transport_slice_{schedule}_{target}.json" for schedule in ("lockstep", "free")]
            if not all(path.exists() for path in paths):
                return None
            reports = [json.loads(path.read_text()) for path in paths]
            found.append(reports[0]["seconds"] / reports[1]["seconds"])
        gains = (1.7, 2.2, 1.0, 1.1)
        if self.results.was_shared("tables"):
            return (", ".join(f"× {gain:.2f}" for gain in found) + " by wall time", UNKNOWN, "others used the cores, so wall times of separate runs cannot be judged")
        return (", ".join(f"× {gain:.2f}" for gain in found), BETTER if all(f > g for f, g in zip(found, gains)) else
                HOLDS if all(f > 0.9 * g for f, g in zip(found, gains)) else FAILS,
                "free over lock-step, wall time of the draws, one run each")


def goals(results: Results) -> list[tuple[str, str, str]]:
    """What we set ourselves: (goal, measured, verdict)."""
    table = []

    def share(goal, name, m, wanted, *, slower="lockstep", beside=""):
        gains = results.speedup(name, m, slower)
        if gains:
            bound = results.bound(name, m)
            filled = span([100 * row["asked"] / row["executed"] for row in chosen(results.rows(name), m=m, mode="free")])
            is_reached = median(gains) >= wanted * bound
            # What is left beside the density tells whether a goal could be reached at all.
            free = median(1e9 * row["seconds"] / row["asked"] for row in chosen(results.rows(name), m=m, mode="free"))
            price = "" if is_reached else f"; an evaluation takes {free:.0f} ns in all, the goal would be {free * median(gains) / (wanted * bound):.0f} ns"
            table.append((f"{goal}, m = {m}: ≥ {wanted}·B(m)",
                          f"× {span(gains)} of B = {bound:.2f}: {100 * median(gains) / bound:.0f} %; lanes {filled} % full{price}{beside}",
                          "reached" if is_reached else "missed"))
        else:
            table.append((f"{goal}, m = {m}: ≥ {wanted}·B(m)", "", UNKNOWN))

    for points in (100, 400, 414):
        share(f"elliptical slice, Gaussian process, n = {points}", f"elliptical_slice/time_{points}", 1024, 0.9)
    share("delayed rejection, sd √0.1", "delayed_rejection/time_text_delayed_rejection", 1024, 0.6)
    share("delayed rejection, sd 0.01", "delayed_rejection/time_code_delayed_rejection", 1024, 0.6)
    for gradient, name in (("dense", "nuts/time_mixture_code_dense"), ("O(d)", "nuts/time_mixture_code")):
        # B(m) bounds what is gained over a lock-step whose waiting lanes compute all that the others do.
        quick = results.speedup(name, 500)
        beside = quick and (f"; over lock-step in contiguous storage, which leaves out the vectors of waiting lanes and computes only their densities: "
                            f"× {span(quick)}, {100 * median(quick) / results.bound(name, 500):.0f} %")
        share(f"NUTS, mixture, {gradient} gradient, over lock-step with nothing left out (interleaved storage)", name, 500, 0.6,
              slower="lockstep-interleaved", beside=beside or "")
    slower, level, count = [], [], 0
    for name in sorted(timed(results)):
        for m in results.numbers_of_chains(name):
            best = results.against_best_lockstep(name, m) if m >= 16 else None
            if best:
                count += 1
                if best[0] < 1:
                    rounds = results.speedup(name, m, best[1], "free")
                    (level if could_be_equal(rounds) else slower).append(f"{name.split('/')[1].replace('time_', '')}, m = {m}: {span(rounds)} of {best[1]}")
    table.append(("never slower than the best lock-step mode at any m ≥ 16",
                  f"{count - len(slower)} of {count} jobs"
                  + ("; slower: " + "; ".join(slower) + ". Where lock-step within a pack is nearly best, free running pays for finding that out; what would change it: docs/performance.md"
                     if slower else "")
                  + ("; below it by no more than equal modes differ: " + "; ".join(level) if level else ""),
                  UNKNOWN if count == 0 else "missed" if slower else "reached"))
    return table


def could_be_equal(gains: list[float]) -> bool:
    """Whether, of as many rounds, equal modes would win so few in one run of twenty or more. Fewer than five rounds cannot tell."""
    wins = sum(gain >= 1 for gain in gains)
    return len(gains) >= 5 and sum(math.comb(len(gains), k) for k in range(wins + 1)) / 2 ** len(gains) > 0.05


def timed(results: Results):
    """Names of all files of times that have lock-step and free rows."""
    for path in results.out.glob("*/*.csv"):
        name = f"{path.parent.name}/{path.stem}"
        modes = {row.get("mode") for row in results.rows(name)}
        if "free" in modes and modes & set(LOCKSTEPS):
            yield name
