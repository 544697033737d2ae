"""Tests the harness of bench/peers without any of the peers. Usage: harness_test.py ROOT"""
import ast
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
PEERS = ROOT / "bench" / "peers"
sys.path.insert(0, str(PEERS))
sys.dont_write_bytecode = True

import moments
import table


def chain_means(shift, chains=128, seed=1):
    """Means of chains of 20 independent normals, all moved by `shift` standard errors of the overall mean."""
    generator = random.Random(seed)
    error = (20 * chains) ** -0.5
    return [sum(generator.gauss(0, 1) for _ in range(20)) / 20 + shift * error for _ in range(chains)]


class Moments(unittest.TestCase):
    def test_accepts_what_is_right(self):
        # A fixed seed; for a new one the chance of a false alarm is 6e-7.
        self.assertEqual(moments.verdict({"x": moments.z_score(chain_means(0), 0.0)}), "")

    def test_rejects_a_biased_set_of_draws(self):
        scores = {"fine": 0.3, "x": moments.z_score(chain_means(10), 0.0)}
        self.assertIn("wrong: x", moments.verdict(scores))

    def test_knows_the_error_of_the_answer(self):
        means = chain_means(10)
        error = 10 * (20 * 128) ** -0.5
        self.assertEqual(moments.verdict({"x": moments.z_score(means, 0.0, error)}), "")

    def test_is_careful_with_few_chains(self):
        means = [5.9, 6.1, 6.0]  # t = 104 with two degrees of freedom has p = 1e-4: no reason to call it wrong
        self.assertLess(moments.z_score(means, 0.0), moments.LIMIT)
        self.assertGreater(moments.z_score(means, 0.0), 3)

    def test_chains_that_are_not_finite_are_wrong(self):
        self.assertNotEqual(moments.verdict({"x": moments.z_score([0.0, float("nan")], 0.0)}), "")

    def test_chains_that_never_moved_are_wrong(self):
        self.assertNotEqual(moments.verdict({"x": moments.z_score([1.0, 1.0, 1.0], 0.0)}), "")

    def test_kurtosis_of_known_sequences(self):
        self.assertAlmostEqual(moments.kurtosis([-1.0, 1.0]), 1.0)
        self.assertAlmostEqual(moments.kurtosis([-1.0] + [0.0] * 8 + [1.0]), 5.0)
        self.assertEqual(moments.kurtosis([2.0, 2.0]), 3.0)
        self.assertEqual(moments.kurtosis([0.0, float("nan")]), 3.0)

    def test_references_that_missed_a_tail_are_not_believed_to_know_their_error(self):
        # 3,200 draws of kurtosis 11 leave an error of 2.8 % in the standard deviation, whatever the reference says.
        self.assertAlmostEqual(moments.deviation_error(0.0118, 0.815, 3220, 11.2), 0.815 * (10.2 / 4 / 3220) ** 0.5)
        self.assertEqual(moments.deviation_error(0.1, 0.815, 3220, 11.2), 0.1)
        self.assertEqual(moments.deviation_error(0.0, 1.0, float("inf"), 1e9), 0.0)
        # Nobody's draws excuse themselves by tails of their own.
        self.assertEqual(moments.deviation_error(0.0, 1.0, 6.0, 1e9), 1.0)


class Table(unittest.TestCase):
    def test_aligns_and_shortens(self):
        text = table.render("Title", ["name", "rate", "remark"], [["a", 1234567.0, ""], ["long name", None, "not run"]])
        self.assertEqual(
            text.split("\n"),
            ["Title", "name         rate  remark", "a          1.23 M", "long name       -  not run"],
        )


class Files(unittest.TestCase):
    def test_requirements_are_exact(self):
        lines = [line for line in (PEERS / "requirements.txt").read_text().splitlines() if not line.startswith("#")]
        for line in lines:
            self.assertRegex(line, r"^[A-Za-z0-9._-]+==[0-9][0-9A-Za-z.]*$")
        names = {line.split("==")[0].lower() for line in lines}
        self.assertLessEqual({"jax", "blackjax", "numpyro", "nutpie", "httpstan", "arviz", "numpy"}, names)

    def test_modules_parse_and_contestants_can_be_prepared(self):
        for path in PEERS.glob("*.py"):
            functions = {node.name for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)}
            if path.stem.endswith("_nuts"):
                self.assertIn("prepare", functions, path)

    def test_every_contestant_has_a_module(self):
        named = set(re.findall(r'Contestant\("[^"]+", "(\w+)"', (PEERS / "contest.py").read_text()))
        self.assertEqual(named, {path.stem for path in PEERS.glob("*_nuts.py")})

    def test_every_target_has_a_density_and_a_stan_program(self):
        def makers(name):
            return set(re.findall(r'^    "(\w+)": _', (PEERS / name).read_text(), re.M))

        self.assertEqual(makers("problem.py"), makers("densities.py"))
        self.assertEqual(makers("problem.py"), {path.stem for path in (PEERS / "stan").glob("*.stan")})

    def test_without_pypi_the_peers_are_skipped_in_words(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder)
            for name in ("tools/peers", "bench/peers/requirements.txt"):
                (copy / name).parent.mkdir(parents=True)
                (copy / name).write_bytes((ROOT / name).read_bytes())
            python = copy / "bin" / "python3"  # makes an environment whose pip finds nothing
            python.parent.mkdir()
            pip = "#!/bin/sh\necho 'ERROR: No matching distribution'\nexit 1\n"
            python.write_text(f"#!/bin/sh\nmkdir -p $3/bin\nprintf \"{pip}\" >$3/bin/pip\nchmod +x $3/bin/pip\n")
            python.chmod(0o755)
            done = subprocess.run(
                ["bash", copy / "tools" / "peers"],
                env={"PATH": f"{python.parent}:/usr/bin:/bin"},
                capture_output=True,
                text=True,
            )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("tools/peers: skipped, because the peers cannot be installed", done.stdout)
        self.assertIn("No matching distribution", done.stdout)


if __name__ == "__main__":
    unittest.main()
