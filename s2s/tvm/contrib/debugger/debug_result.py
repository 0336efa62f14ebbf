"""What a debug executor knows of a run: nodes, tensors and times, under TVM's names."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

from s2s.support.frozen import frozen
from s2s.types.weights import Array

COLUMNS = ("Node Name", "Ops", "Time(us)", "Time(%)", "Shape", "Inputs", "Outputs", "Measurements(us)")
GAP = "  "
"""What follows each column."""


@frozen
class NodeTime:
    """What one node has taken."""

    name: str
    function: str
    seconds: float
    metrics: Mapping[str, float] = field(default_factory=dict[str, float])
    """The figures of collectors."""


@frozen
class DebugResult:
    """The nodes of a graph, and what the last run has given."""

    nodes: Sequence[Mapping[str, Any]]
    times: Sequence[NodeTime]
    tensors: Callable[[], Mapping[str, Array]]

    def get_graph_nodes(self) -> list[Mapping[str, Any]]:
        """The nodes, each with name, `op`, inputs, attributes and shape."""
        return list(self.nodes)

    def get_graph_node_shapes(self) -> list[Sequence[int]]:
        """The shape of each node."""
        return [node["shape"] for node in self.nodes]

    def get_graph_node_output_num(self, node: Mapping[str, Any]) -> int:
        """The number of outputs of a node."""
        return int(node["attrs"].get("num_outputs", 1))

    def get_graph_node_dtypes(self) -> list[str]:
        """The element type of each node."""
        return [str(node["attrs"]["T"]).removeprefix("type: ") for node in self.nodes]

    def get_output_tensors(self) -> Mapping[str, Array]:
        """All tensors by name, number of node and number of output."""
        return self.tensors()

    def get_debug_result(self, sort_by_time: bool = True) -> str:
        """A table of the calls of the last run that was measured, the slowest first, and their sum."""
        total = sum(call.seconds for call in self.times)
        by_name = {node["name"]: node for node in self.nodes}
        ordered = sorted(self.times, key=lambda call: -call.seconds) if sort_by_time else self.times
        rows: list[Sequence[str]] = [COLUMNS, ["-" * len(name) for name in COLUMNS]]
        for call in ordered:
            node, duration = by_name[call.name], f"{call.seconds * 1e6:.3f}"
            share = f"{100 * call.seconds / total:.3f}" if total else "0"
            shape = f"({', '.join(map(str, node['shape']))})"
            outputs = str(self.get_graph_node_output_num(node))
            rows.append(
                [call.name, call.function, duration, share, shape, str(len(node["inputs"])), outputs, f"[{duration}]"]
            )
        rows.append(["Total_time", "-", f"{total * 1e6:.3f}", "-", "-", "-", "-", "-"])
        widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
        return "\n".join(
            "".join(text.ljust(width) + GAP for text, width in zip(row, widths, strict=True)) for row in rows
        )

    def display_debug_result(self, sort_by_time: bool = True) -> None:
        """Print the table."""
        sys.stdout.write(self.get_debug_result(sort_by_time) + "\n")
