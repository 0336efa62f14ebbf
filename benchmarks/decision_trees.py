"""Ensembles of decision trees in both forms, branches and tables, on a Cortex-M4 under QEMU and beside onnxruntime.

    python -m benchmarks.decision_trees [--rounds 3]

For complete trees over random features and splits: instructions of one run and bytes of flash of the whole program on
`qemu:m4`, then on this machine the time for one sample and for 256 beside onnxruntime, one thread, in turns. Exits with
1 where a network computes something else than onnxruntime, or takes longer than it.
"""

import argparse
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from onnx import helper

from benchmarks.beside import measure
from benchmarks.timing import pin
from s2s.api import compile as compile_network
from s2s.decisions.trees import BRANCHES, TABLES

FEATURES = 8
MAX_DIFFERENCE = 1e-5
ENSEMBLES = ((10, 4), (50, 4), (20, 6), (100, 5))
"""Trees and levels."""


def ensemble(trees: int, levels: int, samples: int) -> onnx.ModelProto:
    """A TreeEnsembleRegressor of complete trees."""
    random = np.random.default_rng(trees * 100 + levels)
    inner, every = 2**levels - 1, 2 ** (levels + 1) - 1
    nodes = [(tree, node) for tree in range(trees) for node in range(every)]
    leaves = [(tree, node) for tree, node in nodes if node >= inner]
    attributes: dict[str, Any] = {
        "nodes_treeids": [tree for tree, _ in nodes],
        "nodes_nodeids": [node for _, node in nodes],
        "nodes_modes": ["BRANCH_LEQ" if node < inner else "LEAF" for _, node in nodes],
        "nodes_featureids": random.integers(0, FEATURES, len(nodes)).tolist(),
        "nodes_values": random.standard_normal(len(nodes)).tolist(),
        "nodes_truenodeids": [2 * node + 1 if node < inner else 0 for _, node in nodes],
        "nodes_falsenodeids": [2 * node + 2 if node < inner else 0 for _, node in nodes],
        "target_treeids": [tree for tree, _ in leaves],
        "target_nodeids": [node for _, node in leaves],
        "target_ids": [0] * len(leaves),
        "target_weights": random.standard_normal(len(leaves)).tolist(),
        "n_targets": 1,
    }
    node = helper.make_node("TreeEnsembleRegressor", ["x"], ["y"], "forest", domain="ai.onnx.ml", **attributes)
    x = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [samples, FEATURES])
    y = helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [samples, 1])
    graph = helper.make_graph([node], "forest", [x], [y])
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx.ml", 3)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


@dataclass(frozen=True)
class OnBoard:
    """Figures of one form."""

    instructions: int
    flash: int


def on_board(model: onnx.ModelProto, form: str) -> OnBoard:
    """Run one sample on an emulated Cortex-M4."""
    (decision,) = [each for each in compile_network(model, target="cortex-m4").decisions if each.kind == "trees"]
    decided = {"format": 1, "decisions": [{"kind": "trees", "subject": decision.subject, "chosen": form}]}
    with compile_network(model, target="cortex-m4", decisions=decided) as artifact:
        found: dict[str, Any] = artifact.verify_on("qemu:m4").as_dict()
    return OnBoard(found["instructions"], found["flash_bytes"])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3, help="turns of each engine")
    arguments = parser.parse_args()
    pin(None)
    print(f"{'trees':>6}{'levels':>7}{'branches: instr.':>18}{'flash':>9}{'tables: instr.':>16}{'flash':>9}")
    for trees, levels in ENSEMBLES:
        model = ensemble(trees, levels, 1)
        branches, tables = (on_board(model, form) for form in (BRANCHES, TABLES))
        print(
            f"{trees:6}{levels:7}{branches.instructions:18,}{branches.flash:9,}{tables.instructions:16,}"
            f"{tables.flash:9,}",
            flush=True,
        )
    print(f"\n{'trees':>6}{'levels':>7}{'samples':>9}{'µs':>9}{'ort µs':>9}{'× ort':>7}")
    wrong = False
    for trees, levels in ENSEMBLES:
        for samples in (1, 256):
            model = ensemble(trees, levels, samples)
            inputs = {"x": np.random.default_rng(0).standard_normal((samples, FEATURES)).astype(np.float32)}
            row = measure(model, arguments.rounds, 0.03, inputs=inputs)
            wrong |= row.ratio > 1 or row.difference > MAX_DIFFERENCE
            print(
                f"{trees:6}{levels:7}{samples:9}{row.ours * 1e6:9.2f}{row.theirs * 1e6:9.2f}{row.ratio:7.2f}",
                flush=True,
            )
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
