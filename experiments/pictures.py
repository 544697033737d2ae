"""Draws the pictures of the page, each for light and dark backgrounds, from what the experiments have written.

Usage: pictures.py OUT [NAME...]; all of them unless named. Lines differ by dashes and marks, bars by hatching, so that pictures can be read in black and white.
"""
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import matplotlib.ticker
import numpy

from common import chosen, median
from results import Results

THEMES = {
    "light": {"paper": "#ffffff", "ink": "#1f2328", "grid": "#d0d7de", "red": "#b3261e", "blue": "#0b57d0", "grey": "#57606a",
              "amber": "#9a6700", "green": "#1a7f37", "violet": "#6639ba"},
    "dark": {"paper": "#0d1117", "ink": "#e6edf3", "grid": "#30363d", "red": "#ff8a80", "blue": "#8ab4f8", "grey": "#9da7b3",
             "amber": "#e3b341", "green": "#7ee787", "violet": "#d2a8ff"},
}
# One look per role, in every picture: colour, dashes, mark.
LOOKS = {
    "lockstep": ("red", "-", "s"), "lockstep-skip": ("amber", "--", "^"), "lockstep-pack": ("violet", ":", "v"),
    "free": ("blue", "-", "o"), "bound": ("grey", "--", ""), "R": ("grey", ":", ""), "one": ("grey", "-.", "x"),
    "paper": ("green", "-.", "D"), "other": ("amber", (0, (5, 1)), "P"),
}
NAMES = {"lockstep": "lock-step (vmap)", "lockstep-skip": "lock-step, idle packs skipped", "lockstep-pack": "lock-step per pack",
         "free": "free (breakstep)", "one": "one chain at a time"}


class Canvas:
    """A row of axes in one theme."""

    def __init__(self, theme: str, panels: int, height=3.0, width=None):
        self.colours = THEMES[theme]
        plt.rcParams.update({"font.size": 9, "svg.hashsalt": "breakstep", "axes.spines.top": False, "axes.spines.right": False,
                             "text.color": self.colours["ink"], "axes.labelcolor": self.colours["ink"],
                             "xtick.color": self.colours["ink"], "ytick.color": self.colours["ink"],
                             "axes.edgecolor": self.colours["ink"], "axes.facecolor": self.colours["paper"],
                             "figure.facecolor": self.colours["paper"], "grid.color": self.colours["grid"],
                             "legend.frameon": False, "legend.fontsize": 7.5, "axes.titlesize": 9, "hatch.linewidth": 0.6})
        self.figure, axes = plt.subplots(1, panels, figsize=(width or 3.5 * panels, height), squeeze=False, layout="constrained")
        self.axes = list(axes[0])
        for axis in self.axes:
            axis.grid(True, linewidth=0.5)
            axis.set_axisbelow(True)

    def line(self, axis, role, x, y, label, spread=None):
        colour, dashes, mark = LOOKS[role]
        axis.plot(x, y, color=self.colours[colour], linestyle=dashes, marker=mark, markersize=4, linewidth=1.4, label=label)
        if spread:
            axis.fill_between(x, [low for low, _ in spread], [high for _, high in spread], color=self.colours[colour], alpha=0.15,
                              linewidth=0)

    def bars(self, axis, x, y, width, role, label, hatch=""):
        axis.bar(x, y, width, color=self.colours[LOOKS[role][0]], alpha=0.75, label=label, hatch=hatch,
                 edgecolor=self.colours["paper"], linewidth=0.3)


def label(axis, x, y, title="", logx=True, logy=False):
    axis.set_xlabel(x)
    axis.set_ylabel(y)
    axis.set_title(title)
    if logx:
        axis.set_xscale("log")
        low, high = axis.get_xlim()
        ticks = [t for t in ([4**k for k in range(9)] if high < 40000 and "chains" in x else [10**k for k in range(7)]) if low <= t <= high]
        if len(ticks) > 7:  # long numbers would run into each other
            ticks = ticks[::2]
        axis.set_xticks(ticks, [f"{t:,}" if t < 10**5 else f"{t // 1000}k" if t < 10**6 else f"{t // 10**6}M" for t in ticks])
        axis.xaxis.set_minor_locator(matplotlib.ticker.NullLocator())
    if logy:
        axis.set_yscale("log")


def with_spread(canvas, axis, role, xs, samples, name):
    """Median and range over seeds and rounds."""
    kept = [(x, sample) for x, sample in zip(xs, samples) if sample]
    canvas.line(axis, role, [x for x, _ in kept], [median(s) for _, s in kept], name,
                [(min(s), max(s)) for _, s in kept])


def motivation(results, canvas):
    left, right = canvas.axes
    histogram = results.histogram("motivation/shrinks_gp_regression")
    notes = results.notes("motivation")
    canvas.bars(left, [n for n, _, _ in histogram], [100 * d for _, d, _ in histogram], 0.9, "free", "one chain")
    canvas.bars(left, [n for n, _, _ in histogram], [100 * m for _, _, m in histogram], 0.9, "lockstep",
                f"slowest of {notes['chains']:,}", "///")
    label(left, "shrinks per draw", "share of draws, %", f"Gaussian process, n = {notes['points_of_shrinks']}", logx=False)
    left.legend()
    for draws, role, hatch in ((100, "other", "..."), (1000, "lockstep-pack", "///"), (10000, "free", "")):
        means = results.chain_means("motivation/means", draws)
        if not means:
            continue
        heights, edges = numpy.histogram(means, bins=24, density=True)
        canvas.bars(right, (edges[1:] + edges[:-1]) / 2, heights, edges[1] - edges[0], role, f"after {draws:,} draws", hatch)
    label(right, "mean shrinks per draw of a chain", "density", f"{notes['chains']:,} chains, n = {notes['points_of_means']}", logx=False)
    right.legend()


def profiles(results, canvas):
    roles = ["free", "paper", "lockstep", "lockstep-skip"]
    for axis, skewness in zip(canvas.axes, (1, 10)):
        rows = chosen(results.rows("theory/profiles"), nominal_skewness=skewness)
        for role, name in zip(roles, dict.fromkeys(row["distribution"] for row in rows)):
            own = chosen(rows, distribution=name)
            canvas.line(axis, role, [row["m"] for row in own], [row["R"] for row in own], name)
        label(axis, "chains m", "R(m) = E max N / E N", f"skewness {skewness}")
        axis.legend()


def long_run(results, canvas):
    axis, other = canvas.axes
    for m, role in ((8, "free"), (32, "paper"), (128, "lockstep")):
        table = results.deviations(m)
        canvas.line(axis, role, [n for n, _, _ in table], [a for _, a, _ in table], f"m = {m}")
        canvas.line(other, role, [n for n, _, _ in table], [b for _, _, b in table], f"m = {m}")
    for panel, title in ((axis, "lock-step: mean of maxima, C₀"), (other, "free: maximum of means, C_F")):
        ns = [n for n, _, _ in results.deviations(32)]
        top = max(panel.get_lines()[1].get_ydata())
        canvas.line(panel, "bound", ns, [top * (n / ns[0]) ** -0.5 for n in ns], "n^(−1/2)")
        label(panel, "draws n of each chain", "rms deviation, rounds", title, logy=True)
        panel.legend()


def steps(results, canvas):
    left, right = canvas.axes
    table = results.all_paper_steps()
    places = numpy.arange(len(table))
    canvas.bars(left, places - 0.2, [row["alpha"] for row in table], 0.4, "free", "measured")
    canvas.bars(left, places + 0.2, [row["alpha_model"] for row in table], 0.4, "one", "β/2 + 1 − β", "///")
    label(left, "points of the Gaussian process", "cost of a step, amortized / not", "Amortising: α", logx=False)
    names = ["switched", "amortized", "bundled", "bundled_amortized"]
    for k, (name, role, hatch) in enumerate(zip(names, ("one", "lockstep-skip", "paper", "free"), ("", "///", "...", ""))):
        canvas.bars(right, places + 0.2 * (k - 1.5), [row["E_" + name] for row in table], 0.2, role, name.replace("_", " + "), hatch)
    for k, row in enumerate(table):
        right.plot([k - 0.45, k + 0.45], [row["R"], row["R"]], color=canvas.colours["ink"], linewidth=1.5,
                   label="R(m)" if k == 0 else None)
    label(right, "points of the Gaussian process", "lock-step time / time", f"E(m) ≤ R(m), m = {table[0]['m']}", logx=False)
    for axis in (left, right):
        axis.set_xticks(places, [str(row["points"]) for row in table])
        axis.set_ylim(top=1.35 * axis.get_ylim()[1])
        axis.legend(loc="upper right")


def delayed_rejection(results, canvas):
    base = "delayed_rejection/time_text_delayed_rejection"
    ms = results.numbers_of_chains(base)
    cost, gain, small = canvas.axes
    for name, mode, role, text in ((base, "lockstep", "lockstep", NAMES["lockstep"]),
                                   (base + "_unrolled", "paper-switched", "other", "paper's step, body in 4 states"),
                                   (base + "_condensed", "paper-switched", "paper", "paper's step, one state"),
                                   (base, "free", "free", NAMES["free"])):
        with_spread(canvas, cost, role, ms, [[1e9 * s for s in results.seconds_per_draw(name, m, mode)] for m in ms], text)
    label(cost, "chains m", "ns per draw of a chain", "proposal sd √0.1", logy=True)
    for axis, form, title in ((gain, "text", "sd √0.1 (the text)"), (small, "code", "sd 0.01 (the code)")):
        name = f"delayed_rejection/time_{form}_delayed_rejection"
        gains(results, canvas, axis, name, ms)
        label(axis, "chains m", "speed-up over lock-step", title)
        axis.legend()
    cost.set_ylim(top=8 * cost.get_ylim()[1])
    cost.legend(loc="upper left")


def gains(results, canvas, axis, name, ms, modes=("free",)):
    for mode, role, text in (("free", "free", NAMES["free"]), ("free-bundled", "paper", "free, not amortized"),
                             ("lockstep-skip", "lockstep-skip", NAMES["lockstep-skip"]),
                             ("lockstep-pack", "lockstep-pack", NAMES["lockstep-pack"])):
        if mode in modes or mode.startswith("lockstep"):
            with_spread(canvas, axis, role, ms, [results.speedup(name, m, faster=mode) for m in ms], text)
    bound(results, canvas, axis, name, ms)


def full_packs(results, name, ms):
    """Fewer chains than a pack has lanes leave lanes idle, which is not waiting."""
    return [m for m in ms if m >= results.lanes(name.split("/")[0])]


def bound(results, canvas, axis, name, ms):
    ms = full_packs(results, name, ms)
    canvas.line(axis, "bound", ms, [results.bound(name, m) for m in ms], "bound B(m)")


def elliptical_slice(results, canvas):
    for axis, points in zip(canvas.axes, (25, 100, 400)):
        name = f"elliptical_slice/time_{points}"
        ms = results.numbers_of_chains(name)
        if not ms:
            axis.set_title(f"n = {points}: not measured")
            continue
        gains(results, canvas, axis, name, ms, ("free", "free-bundled"))
        canvas.line(axis, "R", ms, [results.rounds_ratio(name, m) for m in ms], "R(m)")
        label(axis, "chains m", "speed-up over lock-step", f"n = {points} points")
    canvas.axes[0].legend()


def elliptical_slice_costs(results, canvas):
    shrinks, wall, size = canvas.axes
    name = "elliptical_slice/time_100" if results.rows("elliptical_slice/time_100") else "elliptical_slice/time_25"
    ms = results.numbers_of_chains(name)
    points = name.rsplit("_", 1)[1]
    lockstep = [median(row["rounds_executed"] / row["draws_made"] for row in chosen(results.rows(name), mode="lockstep", m=m)) for m in ms]
    free = [median(row["rounds_wanted"] / row["draws_made"] for row in chosen(results.rows(name), mode="lockstep", m=m)) for m in ms]
    canvas.line(shrinks, "lockstep", ms, lockstep, NAMES["lockstep"])
    canvas.line(shrinks, "free", ms, free, NAMES["free"])
    label(shrinks, "chains m", "shrinks executed per draw", f"n = {points} points")
    for mode in ("lockstep", "free"):
        with_spread(canvas, wall, mode, ms, [[1e6 * s for s in results.seconds_per_draw(name, m, mode)] for m in ms], NAMES[mode])
        with_spread(canvas, size, mode, ms, [results.ess_per_second(name, m, mode) for m in ms], NAMES[mode])
    label(wall, "chains m", "µs per draw of a chain", "time", logy=True)
    label(size, "chains m", "effective draws per second", "worst parameter, from the longest chains", logy=True)
    shrinks.legend()


def nuts(results, canvas):
    path, one, most, sizes = canvas.axes
    turn = numpy.linspace(0, 2 * numpy.pi, 100)
    along, across = numpy.sqrt(0.5 * 1.99) * numpy.cos(turn), numpy.sqrt(0.5 * 0.01) * numpy.sin(turn)
    for mode in (-5, 5):
        for radius in (1, 2, 3):
            path.plot(mode + radius * (along - across) / numpy.sqrt(2), mode + radius * (along + across) / numpy.sqrt(2),
                      color=canvas.colours["grey"], linewidth=0.7)
    for sampler, role, mark in (("nuts", "free", "o"), ("mala", "lockstep", "x")):
        file = results.out / f"nuts/path_mixture_code_{sampler}.npy"
        if file.exists():
            draws = numpy.load(file)[0]
            path.plot(draws[:, 0], draws[:, 1], mark, markersize=2.5, color=canvas.colours[LOOKS[role][0]], label=sampler.upper())
    label(path, "first coordinate", "second coordinate", "one chain", logx=False)
    path.legend()
    histogram = results.histogram("nuts/lengths_mixture_code")
    bins = 2.0 ** numpy.arange(0, 11)
    for axis, column, role, title in ((one, 1, "free", "one chain"), (most, 2, "lockstep", "slowest of 500 chains")):
        shares = [100 * sum(row[column] for row in histogram if low <= row[0] < 2 * low) for low in bins]
        canvas.bars(axis, numpy.arange(len(bins)), shares, 0.9, role, "")
        axis.set_xticks(numpy.arange(len(bins))[::2], [f"{int(b)}" for b in bins[::2]])
        label(axis, "leapfrog steps of a draw, from", "share of draws, %", title, logx=False)
    ms = results.numbers_of_chains("nuts/time_mixture_code_dense")
    for mode in ("lockstep", "lockstep-skip", "free"):
        with_spread(canvas, sizes, mode, ms, [results.speedup("nuts/time_mixture_code_dense", m, faster=mode) for m in ms], NAMES[mode])
    bound(results, canvas, sizes, "nuts/time_mixture_code_dense", ms)
    label(sizes, "chains m", "speed-up over lock-step", "dense gradient")
    sizes.legend()


def nuts_sizes(results, canvas):
    for axis, target in zip(canvas.axes, ("mixture_code", "mixture_paper")):
        ms = results.numbers_of_chains(f"nuts/sizes_{target}")
        for mode in ("lockstep", "lockstep-skip", "free"):
            samples = []
            for m in ms:
                sizes = [row["ess_mean"] / row["draws_made"] for row in chosen(results.rows(f"nuts/sizes_{target}"), m=m)]
                seconds = results.seconds_per_draw(f"nuts/time_{target}", m, mode)
                samples.append([60 * s / t for s, t in zip(sizes, seconds)])
            with_spread(canvas, axis, mode, ms, samples, NAMES[mode])
        label(axis, "chains m", "effective draws per minute", target.replace("_", ", as in the "), logy=True)
        axis.legend()


def funnel(results, canvas):
    spread = canvas.axes[2]
    v = numpy.linspace(-12, 12, 200)
    for axis, sampler, role, title in zip(canvas.axes, ("nuts", "transport_slice"), ("lockstep", "free"), ("NUTS", "transport slice")):
        draws = numpy.load(results.out / f"funnel/{sampler}.npy")
        flat = draws.reshape(-1, draws.shape[-1])
        shown = flat[:: max(1, len(flat) // 4000)]
        colour = canvas.colours[LOOKS[role][0]]
        axis.plot(shown[:, 1], shown[:, 0], ".", markersize=1.2, color=colour, rasterized=True)
        for side in (-2, 2):  # two standard deviations of x given v
            axis.plot(side * numpy.exp(v / 2), v, color=canvas.colours["ink"], linewidth=0.7)
        axis.set_xlim(-25, 25)
        axis.set_ylim(-10, 10)
        label(axis, "x[0]", "v", f"{title}: lowest v {flat[:, 0].min():.1f}", logx=False)
        heights, edges = numpy.histogram(flat[:, 0], bins=numpy.linspace(-10, 10, 41), density=True)
        canvas.line(spread, role, (edges[1:] + edges[:-1]) / 2, heights, title)
    canvas.line(spread, "bound", v, numpy.exp(-v * v / 18) / numpy.sqrt(18 * numpy.pi), "exact, N(0, 9)")
    spread.set_xlim(-10, 10)
    spread.set_ylim(top=1.5 * spread.get_ylim()[1])
    label(spread, "v", "density", f"{results.notes('funnel')['chains']} chains of {results.notes('funnel')['draws']:,} draws", logx=False)
    spread.legend()


def scale(results, canvas):
    chains, dimension, threads = canvas.axes
    for name, role in (("delayed_rejection", "free"), ("elliptical_slice", "paper"), ("nuts", "lockstep")):
        rows = f"scale/chains_{name}"
        ms = results.numbers_of_chains(rows)
        with_spread(canvas, chains, role, ms, [[1e9 * s for s in results.seconds_per_draw(rows, m, "free")] for m in ms], name.replace("_", " "))
        with_spread(canvas, threads, role, ms, [results.gain_of_two_threads(rows, m) for m in ms], name.replace("_", " "))
    for sampler, role in (("nuts", "lockstep"), ("slice", "other")):
        found = [(d, [1e9 * row["seconds"] / row["asked"] for row in chosen(results.rows(f"scale/dimension_{sampler}_{d}"), mode="free")])
                 for d in (1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1000)]
        with_spread(canvas, dimension, role, [d for d, s in found if s], [s for _, s in found if s], sampler)
    label(chains, "chains m", "ns per draw of a chain", "one thread", logy=True)
    label(dimension, "dimension d", "ns per evaluation", "512 chains, one thread", logy=True)
    label(threads, "chains m", "time on 1 thread / on 2", "two threads")
    for axis in canvas.axes:
        axis.legend()


def speedups(results, canvas):
    """The picture of the README: what the page has to say in one look."""
    jobs = (("delayed_rejection/time_text_delayed_rejection", "delayed rejection"),
            ("elliptical_slice/time_100", "elliptical slice, Gaussian process"), ("nuts/time_mixture_code_dense", "NUTS, 100-d mixture"))
    for axis, (name, title) in zip(canvas.axes, jobs):
        ms = full_packs(results, name, results.numbers_of_chains(name))
        bound(results, canvas, axis, name, ms)
        for mode in ("free", "lockstep-skip", "lockstep"):
            with_spread(canvas, axis, mode, ms, [results.speedup(name, m, faster=mode) for m in ms], NAMES[mode])
        label(axis, "chains", "speed-up over lock-step", title)
        axis.set_ylim(bottom=0)
    canvas.figure.legend(*canvas.axes[0].get_legend_handles_labels(), loc="outside lower center", ncol=4)


# name: (function, panels, what it needs)
PICTURES = {
    "motivation": (motivation, 2, "motivation/shrinks_gp_regression_histogram"),
    "profiles": (profiles, 2, "theory/profiles"),
    "long_run": (long_run, 2, "theory/costs_costs"),
    "steps": (steps, 2, "theory/steps_20"),
    "delayed_rejection": (delayed_rejection, 3, "delayed_rejection/time_text_delayed_rejection"),
    "elliptical_slice": (elliptical_slice, 3, "elliptical_slice/time_25"),
    "elliptical_slice_costs": (elliptical_slice_costs, 3, "elliptical_slice/time_25"),
    "nuts": (nuts, 4, "nuts/time_mixture_code_dense"),
    "nuts_sizes": (nuts_sizes, 2, "nuts/time_mixture_paper"),
    "funnel": (funnel, 3, "funnel/neck"),
    "scale": (scale, 3, "scale/chains_nuts"),
    "speedups": (speedups, 3, "nuts/time_mixture_code_dense"),
}


def main():
    results = Results(sys.argv[1])
    folder = pathlib.Path(sys.argv[1]) / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    drawn = 0
    for name, (draw, panels, needed) in PICTURES.items():
        if not results.rows(needed) or (len(sys.argv) > 2 and name not in sys.argv[2:]):
            continue
        for theme in THEMES:
            canvas = Canvas(theme, panels, width=12 if panels == 4 else None)
            draw(results, canvas)
            canvas.figure.savefig(folder / f"{name}-{theme}.svg", metadata={"Date": None}, dpi=150)
            plt.close(canvas.figure)
        drawn += 1
    print(f"experiments: {drawn} pictures in {folder}")


if __name__ == "__main__":
    main()
