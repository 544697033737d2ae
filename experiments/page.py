"""Writes the page (OUT/index.html, self-contained) and its summary (OUT/experiments.md). Usage: page.py OUT"""
import base64
import html
import json
import math
import pathlib
import sys

import claims as judged
import common
from common import chosen, median
from results import Results

STYLE = """
:root { color-scheme: light dark; --ink: #1f2328; --paper: #fff; --line: #d0d7de; --soft: #f6f8fa; --good: #1a7f37; --bad: #b3261e; --grey: #57606a }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #0d1117; --line: #30363d; --soft: #161b22; --good: #7ee787; --bad: #ff8a80; --grey: #9da7b3 } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 0 auto; max-width: 72rem; padding: 1rem 1.5rem 4rem }
h1, h2 { line-height: 1.2 } h2 { margin-top: 2.5rem; border-top: 1px solid var(--line); padding-top: 1rem }
figure { margin: 1rem 0 } figure img { max-width: 100%; height: auto } figcaption { color: var(--grey); font-size: .9rem }
table { border-collapse: collapse; font-size: .85rem; width: 100% } th, td { border-bottom: 1px solid var(--line); padding: .3rem .5rem; text-align: left; vertical-align: top }
th { background: var(--soft) } .scroll { overflow-x: auto }
.holds, .better, .reached { color: var(--good); font-weight: 600 } .fails, .missed { color: var(--bad); font-weight: 600 } .unknown { color: var(--grey) }
.machines { display: flex; flex-wrap: wrap; gap: 1rem; align-items: flex-start } .machines figure { margin: 0; max-width: 100% }
@media (prefers-color-scheme: dark) { img.ink { filter: invert(1) hue-rotate(180deg) } }
code { background: var(--soft); padding: 0 .2rem }
"""
CLASSES = {judged.HOLDS: "holds", judged.BETTER: "better", judged.FAILS: "fails", judged.UNKNOWN: "unknown", "reached": "reached", "missed": "missed"}


def text(value) -> str:
    return html.escape(str(value))


def table(columns, rows, verdict=None) -> str:
    """Cells are escaped; the column of number `verdict` is coloured."""
    head = "".join(f"<th>{text(name)}</th>" for name in columns)
    body = "".join("<tr>" + "".join(f"<td class='{CLASSES.get(cell, '') if k == verdict else ''}'>{text(cell)}</td>" for k, cell in enumerate(row)) + "</tr>"
                   for row in rows)
    return f"<div class='scroll'><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"


def as_uri(path: pathlib.Path) -> str:
    return "data:image/svg+xml;base64," + base64.b64encode(path.read_bytes()).decode()


class Page:
    def __init__(self, out: str):
        self.results = Results(out)
        self.out = pathlib.Path(out)
        self.parts: list[str] = []

    def say(self, *paragraphs):
        self.parts += [f"<p>{paragraph}</p>" for paragraph in paragraphs]

    def head(self, title):
        self.parts.append(f"<h2>{text(title)}</h2>")

    def picture(self, name, caption):
        light, dark = (self.out / f"pictures/{name}-{theme}.svg" for theme in ("light", "dark"))
        if not light.exists():
            self.say(f"<em>Picture {text(name)}: not drawn (matplotlib could not be installed, or nothing was measured).</em>")
            return
        self.parts.append(f"<figure><picture><source media='(prefers-color-scheme: dark)' srcset='{as_uri(dark)}'>"
                          f"<img src='{as_uri(light)}' alt='{text(caption)}'></picture><figcaption>{text(caption)}</figcaption></figure>")

    def circumstances(self, experiment) -> str:
        """What every picture must say: precision, cores, instruction set, seeds, repeats, spread."""
        rows = [row for path in sorted((self.out / experiment).glob("*.csv")) for row in self.results.rows(f"{experiment}/{path.stem}") if "mode" in row]
        machine = self.results.notes(experiment).get("machine", {})
        words = [f"{machine.get('isa', '?')}, {machine.get('cores', '?')} cores (one used unless said), load {machine.get('load', '?')} at the end"]
        if rows:
            seeds, rounds = {row["seed"] for row in rows}, max(row["round"] for row in rows) + 1
            words.append(f"{' and '.join(sorted({row['precision'] for row in rows}))} precision, {len(seeds)} seed(s), up to {rounds} interleaved round(s); "
                         "processor time of the one thread, wall time of two; medians; bands and brackets are ranges")
        notes = self.results.notes(experiment)
        if notes.get("beside"):
            words.append(f"{notes['beside']}, in which nothing is timed, computed on the other core")
        if notes.get("text"):
            words.append(notes["text"])
        if notes.get("data"):
            data = notes["data"]
            words.append("data: " + (data if isinstance(data, str) else ", ".join(f"{name} {kind}" for name, kind in data.items())))
        return "; ".join(words) + "."

    def build(self) -> str:
        self.opening()
        self.parts.append(self.claims_and_goals())
        self.sections()
        return (f"<!doctype html><html lang='en'><meta charset='utf-8'><meta name='viewport' content='width=device-width'>"
                f"<title>breakstep: the paper, reproduced</title><style>{STYLE}</style><body>{''.join(self.parts)}</body></html>\n")

    def opening(self):
        forms = self.results.forms()
        machine = next((self.results.notes(name)["machine"] for name in common.EXPERIMENTS if self.results.notes(name).get("machine")), {})
        self.parts.append("<h1>The paper, reproduced</h1>")
        self.say("Every figure and table of <em>Efficiently Vectorized MCMC on Modern Accelerators</em>, measured with breakstep on a processor instead of a "
                 "graphics card. Speed-ups are over our own lock-step mode, which does what <code>vmap</code> does (masked loops, every chain waits for the last; "
                 "where vectors are long, those of waiting chains are left out unless said), with the same draws bit for bit; they say nothing about other libraries. R(m) = E max N / E N counts rounds of a loop, B(m) evaluations that "
                 "lock-step executes for each one asked: B is what freedom can gain when only the density costs.",
                 f"Machine: {text(machine.get('processor', '?'))}, {text(machine.get('isa', '?'))}, {text(machine.get('cores', '?'))} cores. "
                 f"Form of this run: {text(', '.join(sorted(forms)))}. " +
                 ("<strong>The short form only shows that everything runs; do not judge by it.</strong>" if "short" in forms else "") +
                 (" The machine was shared with other work while this ran: ratios of the same round are what counts, and ranges are wide."
                  if float(machine.get("load", 0)) > 2.5 else ""))
        self.picture("speedups", "Speed-up over lock-step for the paper's three experiments. " + self.circumstances("delayed_rejection"))

    def claims_and_goals(self) -> str:
        self.list = judged.Claims(self.results).all()
        self.goals = judged.goals(self.results)
        counts = {verdict: sum(claim.verdict == verdict for claim in self.list) for verdict in (judged.HOLDS, judged.BETTER, judged.FAILS, judged.UNKNOWN)}
        summary = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
        return (f"<h2>The paper's claims</h2><p>{len(self.list)} claims: {text(summary)}. Verdicts are computed from the measurements below.</p>" +
                table(["", "section", "the paper says", "measured here", "verdict", "why, and how"],
                      [[c.number, c.where, c.text, c.measured, c.verdict, c.why] for c in self.list], 4) +
                "<h2>Our goals</h2>" + table(["goal", "measured", ""], self.goals, 2) +
                "<p>What holds free running back: cheap densities leave random numbers and bookkeeping to pay, which no schedule removes, so the share of B(m) falls; "
                "cheaper random numbers and fewer sweeps over vectors would change it (NUTS' bookkeeping takes 117 ns of a step at d = 100 at its best with AVX2, docs/performance.md). "
                "A lock-step that leaves out the vectors of waiting chains saves part of what freedom saves, and B(m) is then no bound to be reached. "
                "Runs of few draws end with idle lanes, and part of them goes into trying which step "
                "and parking are fastest; longer runs would change that.</p>")

    def sections(self):
        self.head("1. Why chains wait (figure 1)")
        self.picture("motivation", "Left: shrinks per draw of one chain, and of the slowest. Right: each chain's mean. " + self.circumstances("motivation"))
        self.head("2. Machines (figures 2, 3 and the appendix)")
        self.machines()
        self.head("3. Theory (sections 4 and 5)")
        self.picture("profiles", "R(m) by quadrature; parameters solved for the skewness (Beta: second parameter 5).")
        self.picture("long_run", "Deviation of long-run costs from their limits: elliptical slice sampling, groups of m among 1,024 chains.")
        self.picture("steps", "The paper's steps, nothing skipped, refilled or parked, on Gaussian processes. " + self.circumstances("theory"))
        self.head("4. Delayed rejection (section 7.1)")
        self.picture("delayed_rejection", "N(0, 1), at most 100 tries. " + self.circumstances("delayed_rejection"))
        self.chains_table([("sd √0.1", "delayed_rejection/time_text_delayed_rejection"), ("sd 0.01", "delayed_rejection/time_code_delayed_rejection")])
        self.head("5. Elliptical slice (section 7.2)")
        self.picture("elliptical_slice", "Real-estate Gaussian process. " + self.circumstances("elliptical_slice"))
        self.picture("elliptical_slice_costs", "Shrinks, time and effective sizes.")
        self.chains_table([(f"n = {n}", f"elliptical_slice/time_{n}") for n in (25, 100, 400, 414)])
        self.head("6. NUTS (section 7.3)")
        self.picture("nuts", "100-d mixture as the authors' program has it. " + self.circumstances("nuts"))
        self.picture("nuts_sizes", "Effective draws per minute, O(d) gradient: what a draw is worth from the longest chains (few cross from mode to mode: a single chain does not know of the other), times from fewer draws.")
        self.chains_table([("as coded, dense gradient", "nuts/time_mixture_code_dense"), ("as coded, O(d) gradient", "nuts/time_mixture_code"),
                           ("as in the text, O(d)", "nuts/time_mixture_paper")])
        self.head("7. Tables (section 7.4 and the appendix)")
        self.say(text(self.circumstances("tables")))
        self.parts.append(table(*self.nuts_table()))
        self.parts.append(table(*self.baselines_table()))
        self.picture("funnel", "Neal's funnel by NUTS and by transport elliptical slice. " + self.circumstances("funnel"))
        self.parts.append(table(*self.funnel_table()))
        self.head("8. Scale")
        self.picture("scale", "Cost of a draw over chains and dimensions. " + self.circumstances("scale"))
        self.parts.append(table(*self.prediction()))
        self.say("Predictions are marked as such: T(64) = T(1)·(s + (1 − s)/64), where s is the share that two threads did not halve, taken as serial; "
                 "and no less than the time of the longest chain, which no number of cores shortens. Memory bandwidth is not in the model.")
        self.head("9. The advisor")
        self.say(text("Held out: pairs that the advisor's own documentation and tests do not have. " + self.circumstances("advisor")))
        self.parts.append(table(*self.advisor_table(), 8))

    def advisor_table(self):
        rows = []
        for row in self.results.rows("advisor/predictions"):
            off = 100 * (row["predicted"] / row["measured"] - 1)
            rows.append([row["sampler"].replace("_", " "), row["target"], row["chains"], row["held_out"], f"{row['schedule']}, {row['precision']}, {row['storage']}",
                         f"{row['predicted']:.2f} ({row['lowest_predicted']:.2f} to {row['highest_predicted']:.2f})", f"{row['measured']:.2f} ({row['lowest']:.2f} to {row['highest']:.2f})", f"{off:+.0f} %",
                         "reached" if abs(off) <= 20 else "missed"])
        return ["sampler", "target", "chains", "held out", "advice", "predicted × lock-step", "measured", "off by", "within 20 %"], rows

    def machines(self):
        folder = self.out / "machines"
        figures = [(name, name.replace("_", " ")) for name in ("delayed_rejection", "elliptical_slice", "slice", "nuts")]
        stages = [(f"nested_{stage}", f"op1W{{op1W{{op1}}}}, {stage}") for stage in ("parse", "coarse", "raw", "final")]
        for group in (figures, stages):
            shown = "".join(f"<figure><img class='ink' src='{as_uri(folder / (name + '.svg'))}' alt='{text(caption)}'><figcaption>{text(caption)}</figcaption></figure>"
                            for name, caption in group if (folder / f"{name}.svg").exists())
            self.parts.append(f"<div class='machines'>{shown}</div>")

    def chains_table(self, jobs):
        rows = []
        for title, name in jobs:
            for m in self.results.numbers_of_chains(name):
                gains, best = self.results.speedup(name, m), self.results.against_best_lockstep(name, m)
                if not gains:
                    continue
                ratio, bound = self.results.rounds_ratio(name, m), self.results.bound(name, m)
                rows.append([title, m, chosen(self.results.rows(name), m=m)[0]["draws"], f"{ratio:.2f}" if ratio else "–", f"{bound:.2f}", judged.span(gains),
                             f"{100 * median(gains) / bound:.0f} %", f"{best[0]:.2f} ({best[1]})",
                             *(f"{worth:.3g}" if math.isfinite(worth := median(self.results.ess_per_second(name, m, mode))) else "too few draws" for mode in ("free", "lockstep"))])
        self.parts.append(table(["", "chains", "draws of each", "R(m)", "B(m)", "free / lock-step", "of B", "over the best lock-step", "ESS/s, free", "ESS/s, lock-step"], rows))

    def nuts_table(self):
        paper = {"predator_prey": "1.5", "google_stock": "3.5", "german_credit": "1.2", "bod_code": "0.8", "gp_regression": "3.15", "soil_code": "2.43", "pilots_code": "0.91"}
        rows = []
        for name in ("predator_prey", "predator_prey_code", "google_stock", "german_credit", "bod_stdnormal_prior", "bod_code", "gp_regression", "soil", "soil_code",
                     "pilots", "pilots_code"):
            file = f"tables/nuts_{name}"
            measured = self.results.rows(file)
            if not measured:
                rows.append([name, "not built" if name in self.results.notes("tables").get("missing", []) else "not measured", "", "", "", "", "", "", paper.get(name, "–")])
                continue
            m = measured[0]["m"]
            best = self.results.against_best_lockstep(file, m)
            rows.append([name, f"{m} × {measured[0]['draws']}", f"{max(row['rhat'] for row in measured):.3f}", f"{median(self.results.ess_per_second(file, m, 'free')):.3g}",
                         f"{median(self.results.ess_per_second(file, m, 'lockstep')):.3g}", f"{self.results.bound(file, m):.2f}", judged.span(self.results.speedup(file, m)),
                         f"{best[0]:.2f} ({best[1]})", paper.get(name, "–")])
        return ["NUTS on", "chains × draws", "worst R-hat", "ESS/s, free", "ESS/s, lock-step", "B", "speed-up", "over the best lock-step", "paper's speed-up"], rows

    def baselines_table(self):
        rows = []
        missing = self.results.notes("tables").get("missing", [])
        for target in ("predator_prey", "google_stock", "german_credit", "bod_stdnormal_prior", "gp_regression", "soil", "pilots"):
            cells = []
            for sampler in ("meads", "chees", "transport_slice"):
                path = self.out / f"tables/{sampler}_free_{target}.json"
                if path.exists() and path.stat().st_size:
                    report = json.loads(path.read_text())
                    sizes = [p["ess_bulk"] for p in report.get("parameters", []) if p["ess_bulk"] is not None]
                    worst = max((p["rhat"] for p in report.get("parameters", []) if p["rhat"] is not None), default=float("nan"))
                    cells.append(f"not converged (R-hat {worst:.2f})" if worst > 1.1
                                 else f"{min(sizes) / report['seconds']:.3g} (R-hat {worst:.2f})" if sizes else "undefined")
                else:
                    cells.append("not built" if sampler in missing else "not measured")
            file = f"tables/nuts_{target}"
            free = self.results.rows(file) and self.results.ess_per_second(file, self.results.rows(file)[0]["m"], "free")
            worst = max((row["rhat"] for row in self.results.rows(file)), default=float("nan"))
            rows.append([target, *cells, "not measured" if not free else f"not converged (R-hat {worst:.2f})" if worst > 1.1 else f"{median(free):.3g} (R-hat {worst:.2f})"])
        clock = "wall time, while others used the cores: do not compare with NUTS" if self.results.was_shared("tables") else "wall time"
        return ["ESS/s (worst coordinate), free", f"MEADS ({clock})", f"ChEES ({clock})", f"transport slice ({clock})", "NUTS (processor time)"], rows

    def funnel_table(self):
        rows = [[row["sampler"].replace("_", " "), *(f"{row[key]:.3g}" for key in ("mean", "sd", "q5", "q50", "q95", "rhat", "ess_bulk"))]
                for row in self.results.rows("funnel/neck")]
        return ["v of the funnel", "mean", "sd", "5 %", "50 %", "95 %", "R-hat", "bulk ESS"], [*rows, ["exact", "0", "3", "-4.93", "0", "4.93", "", ""]]

    def prediction(self):
        rows = []
        for name in ("delayed_rejection", "elliptical_slice", "nuts"):
            file = f"scale/chains_{name}"
            for m in self.results.numbers_of_chains(file):
                pair = self.results.gain_of_two_threads(file, m)
                if m < 1000 or not pair:
                    continue
                one, gain = median(self.results.seconds_per_draw(file, m, "free")), min(2.0, median(pair))
                serial = max(0.0, 2 / gain - 1)
                floor = self.results.lanes("scale") / m  # a pack's own chains, in units of the whole
                share = max(serial + (1 - serial) / 64, floor)
                shared = self.results.was_shared("scale")
                predicted = ["no prediction: others used the cores"] * 2 if shared else [f"{1e-6 / one / share:.0f} (prediction)", f"{1 / share:.0f} × (prediction)"]
                rows.append([name.replace("_", " "), f"{m:,}", f"{1e-6 / one:.2f}", judged.span(pair), *predicted])
        return ["", "chains", "million draws/s, 1 thread", "2 threads", "million draws/s, 64 cores", "64 cores / 1 thread"], rows

    def markdown(self) -> str:
        """The summary that is checked in."""
        cell = lambda value: str(value).replace("|", "\\|")
        row = lambda cells: "| " + " | ".join(cell(c) for c in cells) + " |"
        machine = next((self.results.notes(name)["machine"] for name in common.EXPERIMENTS if self.results.notes(name).get("machine")), {})
        lines = ["# The paper, reproduced", "",
                 "`make experiments` measures every figure and table of *Efficiently Vectorized MCMC on Modern Accelerators* and writes a page with pictures,",
                 "`build/experiments/index.html`; this is its summary, written by the same program. Speed-ups are over our own lock-step mode, with the same draws",
                 f"bit for bit. Machine: {machine.get('processor', '?')}, {machine.get('isa', '?')}, {machine.get('cores', '?')} cores; form: {', '.join(sorted(self.results.forms()))}; "
                 f"load {machine.get('load', '?')} at the end.", "",
                 "<picture><source media=\"(prefers-color-scheme: dark)\" srcset=\"images/speedups-dark.svg\"><img alt=\"Speed-up over lock-step of delayed rejection, "
                 "elliptical slice and NUTS, with their bounds\" src=\"images/speedups-light.svg\"></picture>", "",
                 "## Goals", "", row(["goal", "measured", ""]), "| --- | --- | --- |", *(row(goal) for goal in self.goals), "",
                 "## Claims", "", row(["", "section", "the paper says", "measured here", "verdict", "why, and how"]), "| --- | --- | --- | --- | --- | --- |",
                 *(row([c.number, c.where, c.text, c.measured, f"**{c.verdict}**" if c.verdict == judged.FAILS else c.verdict, c.why]) for c in self.list), ""]
        for title, (columns, rows) in (("NUTS on the tables' targets", self.nuts_table()), ("Other samplers", self.baselines_table()), ("The funnel", self.funnel_table()), ("Scale", self.prediction()), ("The advisor", self.advisor_table())):
            lines += [f"## {title}", "", row(columns), "|" + " --- |" * len(columns), *(row(r) for r in rows), ""]
        lines += ["## Circumstances", ""] + [f"- **{name.replace('_', ' ')}**: {self.circumstances(name)}" for name in common.EXPERIMENTS] + [""]
        return "\n".join(lines)


def main():
    page = Page(sys.argv[1])
    (page.out / "index.html").write_text(page.build())
    (page.out / "experiments.md").write_text(page.markdown())
    failed = [claim for claim in page.list if claim.verdict == judged.FAILS]
    print(f"experiments: {len(page.list)} claims, {len(failed)} do not hold here; see {page.out / 'index.html'}")


if __name__ == "__main__":
    main()
