"""The graph executor node by node: times, values and files for debugging, under TVM's names.

    module = debug_executor.create(graph_json, load_module("net.so").imported_modules[0], cpu(), dump_root="dump")
    module.load_params(params)
    module.run(image=image)

`run` writes what TVM's debug executor writes to `<dump_root>/_tvmdbg_device_CPU_0/`: `_tvmdbg_graph_dump.json`,
`_tvmdbg_execution_trace.json` (to be opened in a browser's trace viewer) and `output_tensors.params`.
"""

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy.typing as npt

from s2s.executor.device import Device, check_device, cpu
from s2s.executor.graph_json import Call, Value
from s2s.executor.params import save_param_dict
from s2s.support.frozen import frozen
from s2s.tvm.contrib.debugger.debug_result import DebugResult, NodeTime
from s2s.tvm.contrib.graph_executor import GraphModule, node_number
from s2s.tvm.runtime.benchmark import BenchmarkResult, measure
from s2s.tvm.runtime.module import Module
from s2s.tvm.runtime.program import Program
from s2s.types.weights import Array

__all__ = ["GraphModuleDebug", "MetricCollector", "create"]

FOLDER = "_tvmdbg_device_CPU_0"
GRAPH_DUMP = "_tvmdbg_graph_dump.json"
TRACE = "_tvmdbg_execution_trace.json"
TENSORS = "output_tensors.params"


def create(
    graph_json_str: str, libmod: Module, device: object = None, dump_root: str | Path | None = None
) -> "GraphModuleDebug":
    """A module that runs a graph JSON node by node on packed functions."""
    return GraphModuleDebug(Program(graph_json_str, libmod), device, graph_json_str, dump_root)


class MetricCollector(ABC):
    """Measures more than times: `start` before a call and `stop` after it, which gives figures by name."""

    @abstractmethod
    def init(self, devices: Sequence[Device]) -> None:
        """A profile begins."""

    @abstractmethod
    def start(self, device: Device) -> object:
        """A call begins; what is returned is given to `stop`."""

    @abstractmethod
    def stop(self, started: Any) -> Mapping[str, float]:
        """The figures of the call."""


@frozen
class Report:
    """The times of all calls of a run."""

    calls: tuple[NodeTime, ...]

    def table(self) -> str:
        """A line for each call, the slowest first."""
        total = sum(call.seconds for call in self.calls) or 1.0
        names = self._metrics()
        rows = [f"{'Name':40}{'Duration (us)':>15}{'Percent':>9}" + "".join(f"{name[:19]:>20}" for name in names)]
        for call in sorted(self.calls, key=lambda each: -each.seconds):
            figures = "".join(f"{call.metrics.get(name, 0.0):20.6g}" for name in names)
            rows.append(f"{call.name[:39]:40}{call.seconds * 1e6:15.2f}{100 * call.seconds / total:9.2f}{figures}")
        return "\n".join([*rows, f"{'Sum':40}{total * 1e6:15.2f}{100.0:9.2f}"])

    def csv(self) -> str:
        """The table as comma-separated values."""
        names = self._metrics()
        rows = [
            ",".join([f'"{call.name}","{call.function}",{call.seconds * 1e6:.3f}', *figures])
            for call in self.calls
            for figures in [[f"{call.metrics.get(name, 0.0):.9g}" for name in names]]
        ]
        return "\n".join([",".join(["Name,Function,Duration (us)", *names]), *rows, ""])

    def json(self) -> str:
        """The table as JSON."""
        return json.dumps({"calls": [{**vars(call), "metrics": dict(call.metrics)} for call in self.calls]})

    def _metrics(self) -> list[str]:
        """The names of all figures of collectors."""
        return list(dict.fromkeys(name for call in self.calls for name in call.metrics))

    def __str__(self) -> str:
        return self.table()


class GraphModuleDebug(GraphModule):
    """A graph executor that can be looked into."""

    def __init__(
        self, module: Program, device: object, graph_json_str: str, dump_root: str | Path | None = None
    ) -> None:
        super().__init__(module)
        check_device(device)
        self.module: Program = module
        self._graph = json.loads(graph_json_str)
        self._folder = None if dump_root is None else Path(dump_root) / FOLDER
        self._times: list[NodeTime] = []

    def run(self, number: int = 1, repeat: int = 1, min_repeat_ms: int = 0, **input_dict: npt.ArrayLike) -> None:
        """Run the network, then each node by itself for its time, and write times and all tensors if there is a folder
        for them; `debug_datum` has both."""
        super().run(**input_dict)
        times = self._times = self._measure(number, repeat, min_repeat_ms)
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)
            (self._folder / GRAPH_DUMP).write_text(json.dumps(self._described_nodes(), indent=2), encoding="utf-8")
            (self._folder / TRACE).write_text(json.dumps(_trace(times)), encoding="utf-8")
            (self._folder / TENSORS).write_bytes(save_param_dict(self._tensors()))

    def run_individual(self, number: int, repeat: int = 1, min_repeat_ms: int = 0) -> list[float]:
        """Microseconds of each node, as the least of `repeat` means of `number` calls; 0 for inputs."""
        super().run()
        times = iter(self._measure(number, repeat, min_repeat_ms))
        return [next(times).seconds * 1e6 if isinstance(node, Call) else 0.0 for node in self.module.network.nodes]

    def run_individual_node(
        self,
        index: int,
        number: int = 10,
        repeat: int = 1,
        min_repeat_ms: int = 0,
        limit_zero_time_iterations: int = 100,
        cooldown_interval_ms: int = 0,
        repeats_to_cooldown: int = 1,
    ) -> BenchmarkResult:
        """Seconds of one node, a figure for each repetition; 0 for an input."""
        node = self.module.network.nodes[node_number(self.module, index)]
        if not isinstance(node, Call):
            return BenchmarkResult((0.0,) * repeat)
        return measure(
            lambda: self.module.run_node(index),
            repeat=repeat,
            number=number,
            min_repeat_seconds=min_repeat_ms / 1000,
            limit_zero_time_iterations=limit_zero_time_iterations,
            cooldown_seconds=cooldown_interval_ms / 1000,
            repeats_to_cooldown=repeats_to_cooldown,
        )

    @property
    def debug_datum(self) -> "DebugResult":
        """The nodes, and the tensors and times of the last run."""
        return DebugResult(self._described_nodes()["nodes"], self._times, self._tensors)

    def profile(self, collectors: Sequence[MetricCollector] | None = None, **input_dict: npt.ArrayLike) -> Report:
        """The times of all calls of one run, and the figures of `collectors`."""
        super().run(**input_dict)
        for each in collectors or ():
            each.init([cpu()])
        return Report(tuple(self._measure(1, 1, 0, collectors or ())))

    def exit(self) -> None:
        """Forget the folder: runs write nothing any more."""
        self._folder = None

    def _measure(
        self, number: int, repeat: int, min_repeat_ms: int, collectors: Sequence[MetricCollector] = ()
    ) -> list[NodeTime]:
        """Run each call in order; inputs are set and the values before it are there."""
        found: list[NodeTime] = []
        for index, node in enumerate(self.module.network.nodes):
            if isinstance(node, Call):
                started = [each.start(cpu()) for each in collectors]
                start = time.perf_counter()
                self.module.run_node(index)
                seconds = time.perf_counter() - start
                figures = [each.stop(begun) for each, begun in zip(collectors, started, strict=True)]
                if number * repeat > 1 or min_repeat_ms:
                    seconds = min(self.run_individual_node(index, number, repeat, min_repeat_ms).results)
                metrics = {name: figure for one in figures for name, figure in one.items()}
                found.append(NodeTime(node.name, node.function, seconds, metrics))
        return found

    def _tensors(self) -> dict[str, Array]:
        """All tensors by name, number of node and number of output, as TVM calls them."""
        return {
            f"{node.name}____topo-index:{index}____output-num:{result}": self.module.node_output(index, result)
            for index, node in enumerate(self.module.network.nodes)
            for result in range(len(node.results) if isinstance(node, Call) else 1)
        }

    def _described_nodes(self) -> dict[str, Any]:
        nodes: list[dict[str, Any]] = []
        for described, node in zip(self._graph["nodes"], self.module.network.nodes, strict=True):
            values: Sequence[Value] = node.results if isinstance(node, Call) else (node.value,)
            name = node.function if isinstance(node, Call) else "param"
            operands = node.operands if isinstance(node, Call) else ()
            inputs = [self.module.network.nodes[entry.node].name for entry in operands]
            shape = list(values[0].shape) if values else []
            attributes = {**described.get("attrs", {}), "T": f"type: {values[0].dtype}" if values else ""}
            nodes.append({"name": node.name, "op": name, "inputs": inputs, "attrs": attributes, "shape": shape})
        return {"nodes": nodes}


def _trace(times: Sequence[NodeTime]) -> dict[str, Any]:
    """Times as events of Chrome's trace format."""
    events: list[dict[str, Any]] = []
    at = 0.0
    for number, each in enumerate(times):
        common = {"name": each.name, "cat": "CPU", "pid": 1, "tid": 1, "id": number}
        events.append({**common, "ph": "B", "ts": at})
        at += each.seconds * 1e6
        events.append({**common, "ph": "E", "ts": at})
    return {"displayTimeUnit": "ns", "traceEvents": events}
