"""Checks the experiments' quadrature against closed forms, their counting against the engine's, and that verdicts can fall either way.

Usage: experiments_test.py ROOT MEASURE
"""
import csv
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT, MEASURE = pathlib.Path(sys.argv[1]), sys.argv[2]
sys.path.insert(0, str(ROOT / "experiments"))
import claims
import common
import results
from theory import distributions


def measured(*arguments) -> subprocess.CompletedProcess:
    return subprocess.run([MEASURE, *map(str, arguments)], text=True, capture_output=True)


class Quadrature(unittest.TestCase):
    def test_uniform(self):
        for m in (1, 2, 10, 1000):
            self.assertAlmostEqual(distributions.beta(1.0, 1.0).ratio(m), 2 * m / (m + 1), delta=1e-3)

    def test_exponential_has_harmonic_numbers(self):
        for m in (1, 2, 10, 1000):
            self.assertAlmostEqual(distributions.gamma(1.0).ratio(m), sum(1 / k for k in range(1, m + 1)), delta=0.01)

    def test_bernoulli(self):
        for p, m in ((0.1, 5), (0.01, 200)):
            self.assertAlmostEqual(distributions.bernoulli(p).ratio(m), (1 - (1 - p) ** m) / p, delta=1e-9)

    def test_skewness_is_the_one_asked_for(self):
        for wanted in (1, 10):
            for distribution in distributions.at_skewness(wanted):
                self.assertAlmostEqual(distribution.skewness() / wanted, 1, delta=0.01, msg=distribution.name)
        for distribution in distributions.without_skewness():
            self.assertAlmostEqual(distribution.skewness(), 0, delta=1e-3, msg=distribution.name)


class Counting(unittest.TestCase):
    JOB = ["--sampler", "elliptical_slice", "--target", "gaussian_likelihood", "--chains", "32", "--draws", "50"]

    def test_lengths_agree_with_what_lockstep_counts(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(measured("lengths", *self.JOB, "--seed", 3, "--out", f"{folder}/x").returncode, 0)
            counted = common.read_csv(f"{folder}/x_ratios.csv")[-1]
            timed = measured("time", *self.JOB, "--seeds", 3, "--modes", "lockstep,free,one,density", "--rounds", 1, "--seconds", 0)
            self.assertEqual(timed.returncode, 0, timed.stderr)
            row = next(csv.DictReader(timed.stdout.splitlines()))
            self.assertEqual(row["mode"], "lockstep")
            self.assertAlmostEqual(counted["R"], int(row["rounds_executed"]) / int(row["rounds_wanted"]), delta=1e-6)
            self.assertAlmostEqual(counted["mean"], int(row["rounds_wanted"]) / int(row["draws_made"]), delta=1e-6)

    def test_mistakes_are_refused(self):
        for arguments in (["time", "--sampler", "slyce", "--target", "banana"], ["time", *self.JOB, "--modes", "lockstip"],
                          ["time", *self.JOB, "--chains", "many"], ["lengths", "--sampler", "slice", "--target", "banana", "--out", "/tmp/x"],
                          ["time", "--depth", "3"], ["tyme"]):
            result = measured(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertTrue(result.stderr.startswith("measure: "), result.stderr)


class Verdicts(unittest.TestCase):
    """Made-up measurements must give the verdicts that they deserve."""

    COLUMNS = ["m", "draws", "seed", "round", "mode", "seconds", "wall_seconds", "draws_made", "asked", "executed", "rounds_wanted", "rounds_executed",
               "ess_min", "precision"]

    def results_with(self, folder, free_seconds) -> results.Results:
        for experiment, name in (("delayed_rejection", "time_text_delayed_rejection"), ("nuts", "time_mixture_code_dense")):
            path = pathlib.Path(folder, experiment)
            path.mkdir()
            with (path / f"{name}.csv").open("w") as file:
                writer = csv.writer(file)
                writer.writerow(self.COLUMNS)
                for m in (16, 100, 500, 1024):
                    for mode, seconds in (("lockstep", 10), ("lockstep-skip", 3), ("free", free_seconds)):
                        writer.writerow([m, 10, 1, 0, mode, seconds, seconds, 10 * m, 100, 2000, 100, 2000, 50, "single"])
        return results.Results(folder)

    def goals(self, free_seconds):
        with tempfile.TemporaryDirectory() as folder:
            found = self.results_with(folder, free_seconds)
            nuts = next(claim for claim in claims.Claims(found).all() if "m = 500" in claim.text)
            return {goal: verdict for goal, _, verdict in claims.goals(found)}, nuts.verdict

    def test_fast(self):
        goals, nuts = self.goals(0.6)
        self.assertEqual(goals["delayed rejection, sd √0.1, m = 1024: ≥ 0.6·B(m)"], "reached")
        self.assertEqual(goals["never slower than the best lock-step mode at any m ≥ 16"], "reached")
        self.assertEqual(nuts, claims.BETTER)

    def test_slow(self):
        goals, nuts = self.goals(4.0)
        self.assertEqual(goals["delayed rejection, sd √0.1, m = 1024: ≥ 0.6·B(m)"], "missed")
        self.assertEqual(goals["never slower than the best lock-step mode at any m ≥ 16"], "missed")
        self.assertEqual(nuts, claims.FAILS)

    def test_nothing_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            for claim in claims.Claims(results.Results(folder)).all():
                self.assertIn(claim.verdict, (claims.UNKNOWN, claims.HOLDS), claim)
            for _, _, verdict in claims.goals(results.Results(folder)):
                self.assertEqual(verdict, claims.UNKNOWN)

    def test_slope(self):
        self.assertAlmostEqual(results.slope([(x, 3 * math.sqrt(x)) for x in (1, 10, 100)]), 0.5, delta=1e-12)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
