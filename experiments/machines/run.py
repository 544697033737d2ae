"""The four machines of the paper's figure, and the four stages of the conversion of op1W{op1W{op1}}."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import common

# What the paper's figures show: edges by the names of their ends.
FIGURES = {
    "delayed_rejection": "init>propose propose>propose propose>done init>done",
    "elliptical_slice": "init>shrink shrink>shrink shrink>done init>done",
    "slice": "init_e>expand expand>expand expand>init_s init_e>init_s init_s>shrink shrink>shrink shrink>done init_s>done",
    "nuts": "init>double double>integrate integrate>integrate integrate>check check>double check>done init>done",
}
NESTED = "op1W{op1W{op1}}"


def edges_of(text: str) -> set[str]:
    machine = json.loads(text)
    names = [state["name"].replace(" ", "_") for state in machine["states"]]
    return {f"{names[edge['from']]}>{names[edge['to']]}" for edge in machine["edges"]}


def run(lab):
    rows = []
    for name, figure in FIGURES.items():
        found = edges_of(lab.tool(f"{name}.json", "fsm", name, "--format", "json").read_text())
        lab.tool(f"{name}.svg", "fsm", name, "--format", "svg")
        wanted = set(figure.split())
        rows.append([name, len(wanted), len(found), "yes" if found == wanted else "no", " ".join(sorted(found ^ wanted))])
    lab.write("figures.csv", ["machine", "edges_of_figure", "edges", "same", "differing"], rows)
    for stage in ("parse", "coarse", "raw", "final"):
        lab.tool(f"nested_{stage}.svg", "fsm", NESTED, "--stage", stage, "--format", "svg")


if __name__ == "__main__":
    common.main(run, __doc__)
