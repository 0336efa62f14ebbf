"""A compiled network: write it, run it, hold it against another engine, and read its figures."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any

from s2s.analysis.numbers.sums import describe_sums
from s2s.budget import compile_within
from s2s.compiler import Compilation, compile_model
from s2s.data.samples import sample
from s2s.decisions.file import Decisions
from s2s.dialects import c
from s2s.emit.info import Measured, NetworkInfo, PortInfo
from s2s.emit.tree import Tree, render
from s2s.emit.units import Program
from s2s.errors import InputError
from s2s.frontends.model import Source, load_for_engine
from s2s.options import CompileOptions
from s2s.planned import describe_overlaps
from s2s.profiling.hooks import nodes_of
from s2s.striped import describe_stripes
from s2s.support import progress
from s2s.types.dtypes import Array, tensor_type
from s2s.verify.board_check import BoardVerification, Optimise, verify_on_board
from s2s.verify.build import LoadedNetwork, load
from s2s.verify.compare import Comparison, Tolerance, compare, default_tolerance
from s2s.verify.engines import EngineName, default_engine, run_engine
from s2s.verify.figures import check_budgets, measure_network
from s2s.verify.levels import LevelsReport, compare_levels, graph_level, loop_level, outputs_level, tensor_level
from s2s.verify.steps import StepCount, compare_in_steps

FLOAT_ENGINES = ("onnxruntime", "reference")
"""Engines that compute the layers of quantised models in floats."""


@dataclass(frozen=True)
class Report:
    """Figures of a compiled network, in bytes. Those that need the C compiler are None until they are measured."""

    name: str
    target: str
    executor: str
    kernels: int
    arena: int
    arena_lower_bound: int
    arena_ratio: float
    ram: int
    """The arena, and inputs and outputs outside of it."""
    inputs: int
    outputs: int
    weights: int
    measured_by: str | None = None
    """The compiler that those below are from."""
    flash: int | None = None
    """Code and constants of network and runtime."""
    code: int | None = None
    """Machine code."""
    code_of: Mapping[str, int] = field(default_factory=dict[str, int])
    """That of the largest functions."""
    static_ram: int | None = None
    stack: int | None = None
    stack_note: str = ""
    arena_lower_bound_apart: int | None = None
    """What the arena would take at least if no result lay over what its kernel reads."""
    overlaps: str = ""
    """The results that do."""
    extra_operations: float | None = None
    """What a budget of RAM costs."""
    stripes: str = ""
    """The layers that run in stripes of rows, and the multiply-adds that this costs."""
    accumulators: str = ""
    """What is proven of the sums of integer layers."""

    def as_dict(self) -> dict[str, Any]:
        """The figures in order; those that were not measured are left out."""
        return {key: value for key, value in asdict(self).items() if value not in (None, "", {})}


@dataclass(frozen=True)
class Verification:
    """How the emitted C compares with another engine, output by output, and the levels with each other."""

    against: str
    outputs: Mapping[str, Comparison]
    levels: LevelsReport | None = None
    steps: Mapping[str, StepCount] = field(default_factory=dict[str, StepCount])
    """How quantised outputs differ, in steps of their quantisation."""

    @property
    def passed(self) -> bool:
        """Whether everything that was compared agrees."""
        return all(each.passed for each in self.outputs.values()) and (self.levels is None or self.levels.passed)

    def as_dict(self) -> dict[str, Any]:
        """Flat fields for the command line and JSON."""
        fields: dict[str, Any] = {"passed": self.passed, "against": self.against}
        for name, comparison in self.outputs.items():
            fields[f"output {name}"] = comparison.describe()
            if name in self.steps:
                fields[f"output {name} in steps"] = self.steps[name].describe()
        if self.levels is not None:
            for level in self.levels.levels:
                fields[f"level {level.level}"] = level.describe().removeprefix(f"{level.level}: ")
        return fields


class Artifact:
    """What `s2s.compile` gives."""

    def __init__(self, model: Source, compilation: Compilation) -> None:
        self._model, self._compilation = model, compilation
        self._loaded: LoadedNetwork | None = None
        self._figures: Measured | None = None

    @property
    def name(self) -> str:
        """The prefix of the network's C names."""
        return self._compilation.network.name

    @property
    def info(self) -> NetworkInfo:
        """Names, shapes and sizes; refused where the compilation was stopped early."""
        if self._compilation.info is None:
            raise InputError("--stop-after: the compilation was stopped before it reached C; leave the option out")
        return replace(self._compilation.info, measured=self._figures)

    @property
    def compilation(self) -> Compilation:
        """The compiled module and what is known of it."""
        return self._compilation

    @property
    def decisions(self) -> Decisions:
        """What the compiler chose; `write` gives a file that `--decisions` takes."""
        return Decisions(self.info.target.name, self._compilation.decisions)

    def ir(self) -> str:
        """The module as text, at the level it has reached."""
        return str(self._compilation.module)

    def tree(self) -> Tree:
        """The files of the emitted tree, in memory."""
        progress.step("writing C")
        compilation = self._compilation
        return render(compilation.module, self.info, compilation.weights, form=compilation.options.weights)

    def write(self, destination: str | Path) -> Path:
        """Write the tree to `destination`, whole or not at all."""
        path, options = Path(destination), self._compilation.options
        limited = options.flash_budget is not None or options.stack_budget is not None
        if self.info.target.cc or limited:
            self.measure()
        check_budgets(self.info, options.flash_budget, options.stack_budget)
        self.tree().write(path)
        return path

    def measure(self) -> Measured | None:
        """What the compiler of the target makes of the network, None where it is not installed; `info` has it then."""
        if self._figures is None:
            self._figures = measure_network(self.tree(), self.info)
        return self._figures

    def loaded(self, *, flags: Sequence[str] | None = None) -> LoadedNetwork:
        """The network built by the C compiler and loaded, once; `flags` replace those of the tree."""
        if self._loaded is None:
            tree = self.tree()
            progress.step("compiling the C")
            self._loaded = load(tree, flags=flags)
        return self._loaded

    def run(self, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """The outputs by name for inputs by name, computed by the emitted C.

        A network that keeps state goes on from the run before; `reset` makes the next run the first one.
        """
        return self.loaded().run(inputs)

    def reset(self) -> None:
        """Set the state that the network keeps from run to run to its initial values."""
        self.loaded().reset()

    def report(self, *, measure: bool = False) -> Report:
        """The figures; with `measure`, those that the C compiler knows too."""
        info, compilation = self.info, self._compilation
        bound = info.arena_lower_bound
        report = Report(
            name=info.name,
            target=info.target.name,
            executor=info.executor,
            kernels=len(Program.of(compilation.module).kernels),
            arena=info.arena_size,
            arena_lower_bound=bound,
            arena_ratio=round(info.arena_size / bound, 4) if bound else 1.0,
            ram=info.arena_size + info.ports_size,
            inputs=sum(port.size for port in info.inputs),
            outputs=sum(port.size for port in info.outputs),
            weights=self._constant_bytes(),
            arena_lower_bound_apart=info.arena_apart_bound,
            overlaps=describe_overlaps(info.overlaps),
            extra_operations=info.extra_operations,
            stripes=describe_stripes(info.stripes),
            accumulators=describe_sums(info.sums),
        )
        found = self.measure() if measure else None
        if found is None:
            return report
        return replace(
            report,
            measured_by=found.by,
            flash=found.flash,
            code=found.code,
            code_of=found.functions,
            static_ram=found.static_ram,
            stack=found.stack,
            stack_note=found.stack_note,
        )

    def _constant_bytes(self) -> int:
        store = self._compilation.weights
        tables = [op for op in self._compilation.module.ops if isinstance(op, c.GlobalOp) and op.weight is not None]
        return sum(store.get(op.weight.data).nbytes for op in tables if op.weight is not None)

    def verify(
        self,
        *,
        against: EngineName | None = None,
        levels: bool = False,
        rtol: float | None = None,
        atol: float | None = None,
        seed: int = 0,
    ) -> Verification:
        """Run the C on made-up inputs and compare with another engine, by default the one of the model's format.

        With `levels`, level is compared with level too.
        """
        for option, given in (("rtol", rtol), ("atol", atol)):
            if given is not None and not given >= 0:
                raise InputError(f"--{option} {given}: is no tolerance; give 0 or more")
        network = self._compilation.network
        arrays = {port.name: _made_up(port, seed) for port in network.inputs}
        model = load_for_engine(self._model, against or "verify")
        engine = against or default_engine(model)
        expected = run_engine(engine, model, arrays)
        self.reset()
        found = self.run(arrays)
        kept = self._compare_levels(list(arrays.values())) if levels else None
        outputs, counts = dict[str, Comparison](), dict[str, StepCount]()
        for number, (port, wanted) in enumerate(zip(network.outputs, expected, strict=True)):
            step = network.steps[number] if number < len(network.steps) and engine in FLOAT_ENGINES else None
            if step is not None and rtol is None and (network.sums or step != 1):
                outputs[port.name], counts[port.name] = compare_in_steps(wanted, found[port.name], step, atol)
            else:
                outputs[port.name] = compare(wanted, found[port.name], self._tolerance(wanted, rtol, atol))
        return Verification(engine, outputs, kept, counts)

    def verify_on(
        self, board: str, *, golden: str | Path | None = None, optimise: Optimise = "O3"
    ) -> BoardVerification:
        """Run the network on an emulated board (`qemu:m4`) on golden vectors, made-up ones if none are given."""
        functions = [op for op in self._compilation.module.ops if isinstance(op, c.FuncOp)]
        kernels = {func.sym_name.data for func in functions if func.extents is None}
        entries = [func for func in functions if func.extents is not None]
        calls = [op for func in entries for op in func.walk() if isinstance(op, c.CallOp)]
        return verify_on_board(
            self._model,
            self._compilation,
            self.tree(),
            on=board,
            golden=golden,
            optimise=optimise,
            nodes=[nodes_of(op) for op in calls if op.callee.data in kernels],
        )

    def _compare_levels(self, inputs: Sequence[Array]) -> LevelsReport:
        kept = compile_model(self._model, self._compilation.options, keep_levels=True)
        store = kept.weights
        return compare_levels(
            {
                "graph": graph_level(kept.levels["graph"], store),
                "tensor": tensor_level(kept.levels["tensor"], store, fast=True),
                "loop": loop_level(kept.levels["loop"], store),
                "c": outputs_level(self._run_in_order),
            },
            inputs,
        )

    def _run_in_order(self, inputs: Sequence[Array]) -> list[Array]:
        names = [port.name for port in self._compilation.network.inputs]
        self.reset()
        return list(self.run(dict(zip(names, inputs, strict=True))).values())

    def _tolerance(self, expected: Array, rtol: float | None, atol: float | None) -> Tolerance:
        usual = default_tolerance(expected.dtype)
        if rtol is None and atol is None:
            return replace(usual, scaled=self.info.tolerance.scaled)
        return Tolerance(usual.rtol if rtol is None else rtol, usual.atol if atol is None else atol)

    def close(self) -> None:
        """Unload what was built and remove its files."""
        if self._loaded is not None:
            self._loaded.close()
            self._loaded = None

    def __enter__(self) -> "Artifact":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _made_up(port: PortInfo, seed: int) -> Array:
    return sample(port.name, tensor_type(port.element, port.shape), seed, full_range=port.quantisation is not None)


def compile_artifact(model: Source, options: CompileOptions) -> Artifact:
    """Compile `model`."""
    return Artifact(model, compile_within(model, options))
