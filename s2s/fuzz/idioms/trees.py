"""Ensembles of decision trees."""

from collections.abc import Callable, Mapping
from typing import Any

from s2s.fuzz.arrays import FLOAT32, draw_array
from s2s.fuzz.idioms.parts import one
from s2s.fuzz.network import Network, Value

DOMAIN = "ai.onnx.ml"
MODES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT")


def _ensemble(net: Network) -> Value:
    """A sum of the leaves of several trees."""
    features, targets = net.random.randint(1, 6), net.random.randint(1, 3)
    x = net.input(draw_array(net.random, FLOAT32, [net.random.choice((1, 2, 5)), features]))
    columns: dict[str, list[Any]] = {
        name: [] for name in ("treeids", "nodeids", "modes", "featureids", "values", "truenodeids", "falsenodeids")
    }
    leaves: dict[str, list[Any]] = {name: [] for name in ("treeids", "nodeids", "ids", "weights")}
    mode = net.random.choice(MODES)
    for tree in range(net.random.randint(1, 5)):
        _grow(net, tree, net.random.randint(1, 4), features, targets, mode, columns, leaves)
    attributes = {f"nodes_{name}": value for name, value in columns.items()}
    attributes |= {f"target_{name}": value for name, value in leaves.items()}
    how = net.random.choice(("SUM", "SUM", "AVERAGE", "MIN", "MAX"))
    return one(net, "TreeEnsembleRegressor", x, domain=DOMAIN, n_targets=targets, aggregate_function=how, **attributes)


def _grow(
    net: Network,
    tree: int,
    depth: int,
    features: int,
    targets: int,
    mode: str,
    columns: dict[str, list[Any]],
    leaves: dict[str, list[Any]],
) -> None:
    """Add a tree of a depth: nodes in the order of their levels."""
    count = 2**depth - 1
    for node in range(2 ** (depth + 1) - 1):
        inner = node < count
        values: dict[str, Any] = {
            "treeids": tree,
            "nodeids": node,
            "modes": mode if inner else "LEAF",
            "featureids": net.random.randrange(features) if inner else 0,
            "values": net.random.choice((-1.5, -0.5, 0.25, 1.0)) if inner else 0.0,
            "truenodeids": 2 * node + 1 if inner else 0,
            "falsenodeids": 2 * node + 2 if inner else 0,
        }
        for name, value in values.items():
            columns[name].append(value)
        if inner:
            continue
        leaf: dict[str, Any] = {"treeids": tree, "nodeids": node, "ids": net.random.randrange(targets)}
        leaf["weights"] = net.random.choice((-2.0, -0.25, 0.5, 1.0, 3.0))
        for name, value in leaf.items():
            leaves[name].append(value)


IDIOMS: Mapping[str, Callable[[Network], Value]] = {"decision trees": _ensemble}
