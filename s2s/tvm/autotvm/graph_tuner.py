"""Graph tuners: the layouts of a whole network by dynamic programming over the measured costs of its kernels.

    tuner = autotvm.graph_tuner.DPTuner(mod, {"x": (1, 3, 64, 64)}, "kernels.log", ["nn.conv2d"], "host", params=params)
    tuner.benchmark_layout_transform()
    tuner.run()
    tuner.write_opt_sch2record_file("graph.log")
    with autotvm.apply_graph_best("graph.log"):
        library = s2s.build(mod, target="host", params=params)

A kernel costs what the best record of it says. Kernels that have none, of layouts that nobody has tuned, are measured
with the compiler's own schedules.
"""

from abc import ABC
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import numpy.typing as npt
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from s2s.compilation import Compilation
from s2s.errors import InputError, UnsupportedError
from s2s.options import CompileOptions
from s2s.stages.read import Read
from s2s.tuning.autotvm_log import as_log_line
from s2s.tuning.campaign import Campaign, TuneOptions, best_of
from s2s.tuning.measurement import Goal
from s2s.tuning.measurer import Measurer
from s2s.tuning.network import NetworkSpace, network_task
from s2s.tuning.network_plan import MAX_TABLE, best_point
from s2s.tuning.network_search import KernelCosts
from s2s.tuning.open_decision import decided_of
from s2s.tuning.records import MeasuredRecord, RecordFile, write_records
from s2s.tvm.autotvm.create import nodes_with, operation_named, with_module
from s2s.tvm.autotvm.log import measured_records
from s2s.tvm.autotvm.measure import LocalBuilder, LocalRunner, Runner
from s2s.tvm.autotvm.measure.rpc_runner import RPCRunner
from s2s.tvm.autotvm.measure_pair import MeasureInput, MeasureResult, pair_of
from s2s.tvm.relay.factory import source_of
from s2s.tvm.relay.function import Function
from s2s.tvm.relay.module import IRModule
from s2s.tvm.target import resolve

__all__ = ["BaseGraphTuner", "DPTuner", "PBQPTuner"]

Log = str | Path | Iterable[tuple[MeasureInput, MeasureResult]]
Operator = str | Callable[..., Any]


class BaseGraphTuner(ABC):
    """A search of the layouts of a network."""

    max_table: ClassVar[int]
    """Entries of a table of costs that is worked out exactly."""

    def __init__(
        self,
        graph: ModuleOp | IRModule | Function | FuncOp,
        input_shapes: Mapping[str, Sequence[int]],
        records: Log,
        target_ops: Sequence[Operator],
        target: object,
        *,
        params: Mapping[str, npt.ArrayLike] | None = None,
    ) -> None:
        data = resolve(target, None)
        options = CompileOptions(target=data, records=None)
        compilation = Compilation(source_of(with_module(graph), params), options)
        _check_shapes(compilation, input_shapes)
        nodes = nodes_with(compilation, {operation_named(target_op) for target_op in target_ops})
        self.target = data
        self.space = NetworkSpace(network_task(compilation), ("layout",), nodes=nodes)
        self.records = list(measured_records(records))
        self._measurer: Measurer | None = None
        self._optimal: list[MeasuredRecord] | None = None

    def benchmark_layout_transform(
        self,
        min_exec_num: int = 100,
        timeout: float = LocalBuilder.timeout,
        use_rpc: bool = False,
        device_key: str | None = None,
        host: str = "127.0.0.1",
        port: int = 9190,
        n_parallel: int = 1,
        build_func: object = "default",
        layout_records: object = None,
        target_host: object = None,
        infer_layout: bool = False,
        runner: Runner | None = None,
    ) -> None:
        """Say how kernels in other layouts are measured, which `run` needs: here, by `runner`, or with `use_rpc` in the
        place `device_key` of the farm at `host` and `port`.

        Layouts change inside of the kernels, whose costs hold that: there are no records of transforms alone
        (`layout_records`, `infer_layout`). `min_exec_num` is TVM's: rounds follow from how a candidate compares.
        """
        if layout_records or infer_layout:
            raise UnsupportedError(
                "benchmark_layout_transform: layout_records and infer_layout are of kernels that transform layouts "
                "alone, and kernels read the layout that there is; leave them out"
            )
        if use_rpc and not device_key:
            raise InputError("benchmark_layout_transform: use_rpc wants a device_key; give the place on the farm")
        place = RPCRunner(device_key or "", host, port) if use_rpc else LocalRunner()
        builder = LocalBuilder(timeout=timeout, n_parallel=n_parallel, build_func=build_func)  # pyright: ignore[reportArgumentType]
        self._measurer = (runner or place).measurer(resolve(self.target, target_host), builder)

    def run(self) -> None:
        """Find the layouts with which the kernels of the network cost least together."""
        if self._measurer is None:
            raise InputError(
                f"{type(self).__name__}.run: does not know how to measure; call benchmark_layout_transform first"
            )
        measurer = self._measurer
        goal = Goal.of(measurer.objectives[0])
        with TemporaryDirectory() as folder:
            path = Path(folder) / "records.jsonl"
            write_records(path, self.records)
            with RecordFile(path) as file, closing(measurer):
                campaign = Campaign(file, measurer, TuneOptions(), goal, self.target.name, None)
                self._optimal = self._found(campaign)

    def _found(self, campaign: Campaign) -> list[MeasuredRecord]:
        costs = KernelCosts(campaign)
        text = self.space.text(best_point(self.space, costs, self.max_table)) or "[]"
        kernels = self.space.kernels(text) or ()
        campaign.record_sum(self.space.network, decided_of(text), costs.total(kernels))
        best = [best_of(campaign.known(kernel)) for kernel in kernels]
        return [*campaign.sums(self.space.network)[-1:], *(each for each in best if each is not None)]

    def get_optimal_records(self) -> list[tuple[MeasureInput, MeasureResult]]:
        """Return the layouts that were found, and the best record of each kernel that the network then has."""
        if self._optimal is None:
            raise InputError(f"{type(self).__name__}: nothing was found yet; call run first")
        return [pair_of(each) for each in self._optimal]

    def write_opt_sch2record_file(self, record_file: str | Path = "graph_opt_schedule.log") -> None:
        """Write the optimal records as a log, for `apply_graph_best`."""
        lines = [as_log_line(each.record) for _, each in self.get_optimal_records() if each.record is not None]
        try:
            Path(record_file).write_text("".join(lines), encoding="utf-8")
        except OSError as error:
            raise InputError(f"{record_file}: {error.strerror}; give a file that can be written") from error


class DPTuner(BaseGraphTuner):
    """Eliminates layouts one after the other, exactly unless one of them goes with very many others."""

    max_table = MAX_TABLE


class PBQPTuner(BaseGraphTuner):
    """Eliminates layouts that go with few others exactly, and decides the others one by one, which is quicker."""

    max_table = 64


def _check_shapes(compilation: Compilation, given: Mapping[str, Sequence[int]]) -> None:
    """Refuse shapes that the network does not have."""
    shapes = {port.name: tuple(port.shape) for port in compilation.facts(Read).inputs}
    for name, shape in given.items():
        if shapes.get(name) != tuple(shape):
            known = ", ".join(f"{each} {list(has)}" for each, has in shapes.items())
            raise InputError(f"graph tuner: the network has no input {name} {list(shape)}; give some of {known}")
