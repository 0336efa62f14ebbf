"""A compiled network: write it, run it, compare it with another engine, and read its figures."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from s2s.analysis.numbers.sums import describe_sums
from s2s.compilation import Compilation
from s2s.decisions.file import Decisions
from s2s.emit.call_comments import kernel_calls
from s2s.emit.files import Tree
from s2s.emit.info import Measured, NetworkInfo
from s2s.emit.report import Report
from s2s.errors import InputError
from s2s.frontends.model import Source
from s2s.options import CompileOptions
from s2s.options.values import ram_goal
from s2s.stages.c import Lowered
from s2s.stages.graph import describe_line_buffers
from s2s.stages.memory import describe_overlaps
from s2s.stages.read import Read
from s2s.support import progress
from s2s.types.dtypes import Array
from s2s.types.interface import as_passed
from s2s.types.sizes import constant, varying

if TYPE_CHECKING:
    from s2s.emit.call_comments import PlacedCall
    from s2s.verify.board_check import BoardVerification, Optimise
    from s2s.verify.build import LoadedNetwork
    from s2s.verify.engines import EngineName
    from s2s.verify.expected import Expected
    from s2s.verify.levels import LevelsReport
    from s2s.verify.over_serial import SerialVerification
    from s2s.verify.stream import Stream
    from s2s.verify.verification import Verification


STATEFUL_RUNS = 4
"""The consecutive runs in which a network that keeps state is compared with an engine."""


class Artifact:
    """The result of `s2s.compile`."""

    def __init__(self, compilation: Compilation, loaded: "LoadedNetwork | None" = None) -> None:
        self._compilation = compilation
        self._loaded = loaded

    def __repr__(self) -> str:
        options = self._compilation.options
        target = options.target.name
        return f"Artifact({self.name!r}, target={target!r}, executor={options.executor!r})"

    def _repr_html_(self) -> str:
        """The figures as a table, for notebooks."""
        from html import escape

        rows = "".join(
            f"<tr><th style='text-align: left'>{escape(name)}</th><td>{escape(value)}</td></tr>"
            for name, value in self.report().in_words().items()
        )
        return f"<table><caption>{escape(self.name)}</caption>{rows}</table>"

    @property
    def name(self) -> str:
        """The prefix of the network's C names."""
        return self._compilation.facts(Read).name

    @property
    def info(self) -> NetworkInfo:
        """Names, shapes and sizes; an error if the compilation was stopped early."""
        if self._compilation.options.debug.stop_after is not None:
            raise InputError("--stop-after: the compilation was stopped before it reached C; leave the option out")
        return self._compilation.info

    @property
    def compilation(self) -> Compilation:
        """The compilation, to inspect its stages and to resume it with other options."""
        return self._compilation

    @property
    def decisions(self) -> Decisions:
        """The decisions of the compiler; `write` gives a file that `--decisions` takes."""
        return Decisions(self.info.target.name, self._compilation.facts(Lowered).decisions)

    def ir(self) -> str:
        """The module as text, at the level it has reached."""
        return str(self._compilation.run().module)

    def tree(self) -> Tree:
        """The files of the emitted tree, in memory."""
        return self._compilation.tree

    def write(self, destination: str | Path) -> Path:
        """Write the tree to `destination`, whole or not at all."""
        self.measured_tree().write(destination)
        return Path(destination)

    def measured_tree(self) -> Tree:
        """The tree with the measured sizes, where they can be measured; they are within the budgets."""
        options = self._compilation.options
        limited = options.flash_budget is not None or options.stack_budget is not None
        if self.info.target.cc or limited:
            self.measure()
        if limited:
            from s2s.verify.figures import check_budgets

            check_budgets(self.info, options.flash_budget, options.stack_budget)
        return self.tree()

    def export(self, destination: str | Path, *formats: str) -> "dict[str, Path | str]":
        """Write the tree packed for other tools (`arduino`, `meson`, …): one format to `destination`, several, or `all`
        that the tree allows, to folders of their names in it.

        Returns the folder of each format; with `all`, the reason where the tree does not allow a format.
        """
        from s2s.packagings.formats import check_folders, export

        check_folders(formats, Path(destination))
        return export(self.measured_tree(), formats, Path(destination))

    def measure(self) -> Measured | None:
        """Measure the network with the compiler of its target and store the figures in `info`; None if that is not
        installed."""
        findings = self._compilation.request.findings
        if findings.measured is None:
            from s2s.verify.figures import measure_network

            measured = measure_network(self.tree(), self.info)
            self._compilation = self._compilation.resume(findings=replace(findings, measured=measured))
            return measured
        return findings.measured

    def loaded(self, *, flags: Sequence[str] | None = None) -> "LoadedNetwork":
        """Build the network by the C compiler and load it, once; `flags` replace the tree's."""
        from s2s.verify.build import load

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

    def stream(self) -> "Stream":
        """Return a new stream through a network that keeps state: runs of its own, apart from the runs of `run`.

        All streams share the library and its weights; each has `run`, `reset`, `snapshot` and `restore`.
        """
        return self.loaded().stream()

    def report(self, *, measure: bool = False) -> Report:
        """The figures; with `measure`, also the ones that the C compiler knows."""
        info, compilation = self.info, self._compilation
        bound, lowered = info.arena_lower_bound, compilation.facts(Lowered)
        report = Report(
            name=info.name,
            target=info.target.name,
            executor=info.executor,
            kernels=lowered.kernels,
            arena=info.arena_size,
            arena_lower_bound=bound,
            arena_ratio=round(info.arena_size / bound, 4) if bound else 1.0,
            ram=info.arena_size + info.ports_size,
            inputs=sum(port.size for port in info.inputs) if info.pushed is None else info.inputs_size,
            outputs=sum(port.size for port in info.outputs),
            weights=lowered.constants,
            arena_lower_bound_apart=info.arena_apart_bound,
            overlaps=describe_overlaps(info.overlaps),
            extra_operations=info.extra_operations,
            line_buffers=describe_line_buffers(info.line_buffers),
            pushed_rows="" if info.pushed is None else info.pushed.describe(),
            accumulators=describe_sums(info.sums),
            code_in_pools="; ".join(pool.describe({}) for pool in info.code),
            assumed=compilation.facts(Read).assumed,
            fixed=compilation.facts(Read).fixed,
            real_ports=compilation.facts(Read).describe_real_ports(),
            removed_channels="" if info.removed_channels is None else info.removed_channels.describe(),
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
            stack_of=found.stacks,
            code_in_pools="; ".join(pool.describe(found.functions) for pool in info.code),
        )

    def verify(
        self,
        *,
        against: "EngineName | None" = None,
        golden: str | Path | None = None,
        data: str | Path | None = None,
        levels: bool = False,
        rtol: float | None = None,
        atol: float | None = None,
        seed: int | None = None,
    ) -> "Verification":
        """Run the C on sample inputs and compare with another engine, by default the one of the model's format.

        Or run it on the inputs of the file `golden`, and compare with its outputs; or on samples of `data`, a file or
        folder as `quantize` takes. With `levels`, level is compared
        with level too. A network that keeps state is run several times in a row, and the engine with it.
        """
        from s2s.verify.sizes import compare_levels_at_sizes, verified_sizes
        from s2s.verify.verification import Judge, Limits

        judge = Judge(self._compilation, Limits(rtol, atol))
        keeps_state = bool(self._compilation.facts(Read).initial_state)
        sizes = verified_sizes(self._compilation)
        count = STATEFUL_RUNS if keeps_state else len(sizes)
        expected = self._expected(
            against, golden, data, seed, count=count, consecutive=keeps_state, nodes=levels, sizes=sizes
        )
        found = self._run_in_order(expected)
        read = self._compilation.facts(Read)
        computes_sizes = bool(read.computed) or read.has_gaps
        report = self._compare_levels(expected, found[0]) if levels and not computes_sizes else None
        if levels and (computes_sizes or (report is not None and report.passed and len(sizes) > 1)):
            report = compare_levels_at_sizes(self._compilation, expected.vectors, found)
        return judge.judge(expected, found, report)

    def verify_on(
        self,
        board: str,
        *,
        against: "EngineName | None" = None,
        golden: str | Path | None = None,
        data: str | Path | None = None,
        levels: bool = False,
        rtol: float | None = None,
        atol: float | None = None,
        seed: int | None = None,
        optimise: "Optimise" = "O3",
        part: str | None = None,
        clock: float | None = None,
    ) -> "BoardVerification":
        """Run the C on an emulated board (`qemu:m4`) and compare as `verify` does; the result has the cost there.

        `part` (a microcontroller or a file of one) and `clock` (megahertz) make time and energy of its cycles.
        """
        from s2s.verify.board_check import VECTORS, verify_on_board
        from s2s.verify.verification import Judge, Limits

        judge = Judge(self._compilation, Limits(rtol, atol))
        return verify_on_board(
            self._compilation,
            self.tree(),
            self._expected(against, golden, data, seed, count=VECTORS, nodes=levels),
            judge,
            on=board,
            optimise=optimise,
            nodes=kernel_calls(self._compilation.at("c").module),
            levels=self._compare_levels if levels else None,
            part=part,
            clock=clock,
        )

    def verify_over_serial(
        self,
        port: str,
        *,
        against: "EngineName | None" = None,
        golden: str | Path | None = None,
        data: str | Path | None = None,
        levels: bool = False,
        rtol: float | None = None,
        atol: float | None = None,
        seed: int | None = None,
    ) -> "SerialVerification":
        """Run the network on a board that holds it (`serial:/dev/ttyACM0`, of `s2s new`) and compare as `verify` does.

        A network that keeps state is run several times in a row, and the engine with it. A program that was built with
        hooks around its kernels tells the time of each one.
        """
        from s2s.verify.board_check import VECTORS
        from s2s.verify.over_serial import verify_over_serial
        from s2s.verify.sizes import verified_sizes
        from s2s.verify.verification import Judge, Limits

        keeps_state, sizes = bool(self._compilation.facts(Read).initial_state), verified_sizes(self._compilation)
        return verify_over_serial(
            self._compilation,
            self._expected(
                against, golden, data, seed, count=VECTORS, consecutive=keeps_state, nodes=levels, sizes=sizes
            ),
            Judge(self._compilation, Limits(rtol, atol)),
            on=port,
            calls=self._placed_calls(),
            levels=self._compare_levels if levels else None,
        )

    def _placed_calls(self) -> "list[PlacedCall]":
        """The kernel calls in the file with the run function; none with the graph executor."""
        from s2s.emit.call_comments import placed_calls

        if self.info.executor != "aot":
            return []
        return placed_calls(kernel_calls(self._compilation.at("c").module), self.tree().text(f"src/{self.info.name}.c"))

    def _expected(
        self,
        against: "EngineName | None",
        golden: str | Path | None,
        data: str | Path | None,
        seed: int | None,
        *,
        count: int,
        consecutive: bool = False,
        nodes: bool = False,
        sizes: Sequence[Mapping[str, int]] = ({},),
    ) -> "Expected":
        from s2s.verify.expected import Wanted, expected_outputs

        vectors, samples = (None if file is None else Path(file) for file in (golden, data))
        wanted = Wanted(against, vectors, samples, seed, nodes)
        return expected_outputs(self._compilation, wanted, count=count, consecutive=consecutive, sizes=sizes)

    def _compare_levels(self, expected: "Expected", found: Sequence[Array]) -> "LevelsReport":
        from s2s.verify.all_levels import compare_all_levels

        return compare_all_levels(self._compilation, expected, found)

    def _run_in_order(self, expected: "Expected") -> list[list[Array]]:
        """Run the C on the inputs of all vectors, from the initial state once or before each."""
        network = self._compilation.facts(Read)
        names = [port.name for port in network.inputs]
        runs: list[list[Array]] = []
        for inputs, _ in expected.vectors:
            if not (runs and expected.consecutive):
                self.reset()
            found = self.run(dict(zip(names, inputs, strict=True)))
            runs.append(as_passed(network.outputs, network.empty_outputs, list(found.values())))
        return runs

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


def compile_artifact(model: Source, options: CompileOptions, keep: Sequence[str] = ()) -> Artifact:
    """Compile `model`; the states after the stages that `keep` names stay there for `Compilation.at`."""
    compilation = Compilation(model, options)
    if ram_goal(options) is not None:
        from s2s.budgets.ram import within_ram

        compilation = within_ram(compilation)
    if options.flash_budget is not None:
        from s2s.budgets.flash import within_flash

        compilation = within_flash(compilation)
    computed = compilation.facts(Read).computed
    fixed = next((name for name in constant(compilation.options.dims) if name in computed), None)
    if fixed is not None:
        raise InputError(
            f"--dim {fixed}={compilation.options.dims[fixed]}: the network computes this size in every run; give "
            f"bounds, as in --dim {fixed}=0..{computed[fixed].most}"
        )
    if varying(compilation.options.dims):
        from s2s.verify.sizes import computed_vectors

        if computed or compilation.facts(Read).has_gaps:
            findings = replace(compilation.request.findings, golden=computed_vectors(compilation))
            compilation = compilation.resume(findings=findings)
    for stage in keep:
        compilation.at(stage)
    compilation.run()
    return Artifact(compilation)
