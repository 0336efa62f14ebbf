"""Views for templates: text ready to print, with all text of the model escaped."""

from collections.abc import Sequence
from dataclasses import field
from math import prod
from typing import NamedTuple

from xdsl.dialects.builtin import IntegerAttr, f32

from s2s.c_syntax.identifiers import c_comment, c_macro, c_string
from s2s.c_syntax.interface import Port, Quantisation
from s2s.c_syntax.literals import float_literal
from s2s.dialects import c
from s2s.emit.build_view import DeviceView, ExternalView, FlagsView
from s2s.emit.definitions import Row, SizeField, definitions, initializer
from s2s.emit.info import Measured, NetworkInfo
from s2s.emit.regions import pool_address
from s2s.emit.sizes import size_formula
from s2s.emit.statements import comment_lines
from s2s.errors import CompilerBug
from s2s.support.frozen import frozen
from s2s.targets import Target
from s2s.types.narrow import NARROW
from s2s.version import RUNTIME_VERSION, release

GENERATED_LICENCE = "LicenseRef-Model"
"""The licence of generated files, which is the model's."""

GENERATED = f"SPDX-License-Identifier: {GENERATED_LICENCE}"
"""The licence line of every generated file with comments."""

_DIGEST = 16
"""The number of digits of a hash in comments."""


class PortView(NamedTuple):
    """An input or output in the header."""

    comment: str
    definitions: Sequence[str]
    """Its macros."""


class UnitView(NamedTuple):
    """A C file of functions."""

    title: str
    headers: tuple[str, ...]
    text: str
    wants_optimisation: bool = False
    """Whether the file tells a compiler that is not told to optimise what that costs; one file of a network does."""
    traces: bool = False
    """Whether the calls of kernels in the file stand between hooks in builds that ask for it."""


class TestProgram(NamedTuple):
    """A self-test as build files know it."""

    __test__ = False

    name: str
    """The network that it tests."""
    variable: str
    """The variable of the Makefile with its sources."""
    sources: tuple[str, ...]


@frozen
class TreeView:
    """The tree as a whole."""

    name: str
    macro: str
    version: str
    title: str
    origin: str
    lead: str
    """The README's first sentence."""
    target: str
    cross_compiler: str
    """The compiler command of the target; empty if any compiler of this machine will do."""
    flags: FlagsView
    public_headers: tuple[str, ...]
    sizes: tuple[Row, ...]
    ports: tuple[PortView, ...]
    io: str
    """Whether the `arena` has room for inputs and outputs, or they lie in memory of the `caller`."""
    interface: str
    kernel_headers: tuple[str, ...]
    code_sections: tuple[tuple[str, str, bool], ...]
    """The memory pools of functions, with the macro of each, and whether a linker script places it."""
    prototypes: str
    runtime_sources: str
    """The README's sentence on the runtime, if that has sources of its own."""
    usage: str
    memory: str
    """The README's sentence on allocated memory and on memory that lasts between runs."""
    facts: tuple[Row, ...]
    budgets: tuple[Row, ...]
    """The sizes that a project may limit: name, terms of the sum, and name of the check."""
    sources: tuple[str, ...] = ()
    tests: tuple[TestProgram, ...] = ()
    binaries: tuple[str, ...] = ()
    """Names, without `.c`, of the files whose data are in a `.c.bin` beside them."""
    chats: tuple[str, ...] = ()
    """The programs to talk to language models, without `.c`."""
    files: tuple[Row, ...] = field(default=())
    devices: tuple[DeviceView, ...] = ()
    """The libraries of devices beside the first one."""
    external: ExternalView | None = None
    """What the code of external generators needs; None without any."""

    dims: Sequence[SizeField] = ()
    """The sizes that vary."""
    computed_dims: Sequence[str] = ()
    """The fields that a run writes."""
    graph_sizes: str = ""
    """The macro with the number of sizes that the graph executor takes; empty for a run function."""

    @property
    def dims_definitions(self) -> list[str]:
        """Return the macros of the sizes that vary: their bounds, for the graph executor also their numbers."""
        ends = [
            [
                *([Row(f"{c_macro(row.name)}_INDEX", f"{number}u")] if self.graph_sizes else []),
                *(each._replace(name=f"{c_macro(row.name)}_{each.name}") for each in row.rows()),
            ]
            for number, row in enumerate(self.dims)
        ]
        return definitions(self.macro, [row for each in ends for row in each])

    @property
    def libraries(self) -> str:
        """The libraries that the Makefile builds: the network's, and one for each further device."""
        names = [self.name, *(f"{self.name}_{device.name}" for device in self.devices)]
        return " ".join(f"$(BUILD)/lib{name}.a" for name in names)

    @property
    def external_variables(self) -> dict[str, str]:
        """The variables that the build is given for the code of external generators, with what each is for."""
        views = [view for view in (self.external, *(device.external for device in self.devices)) if view is not None]
        return {variable: view.names for view in reversed(views) for variable in view.variables}

    @property
    def external_libraries(self) -> str:
        """What the Makefile links programs with for the code of external generators."""
        names = ["EXTERNAL_LIBS"] if self.external else []
        names += [f"{device.macro}_EXTERNAL_LIBS" for device in self.devices if device.external]
        return "".join(f" $({name})" for name in names)

    @property
    def linked(self) -> str:
        """The libraries in the order of a link: kernels of a device may call the runtime, which is in the first one."""
        return f"{self.libraries} $(BUILD)/lib{self.name}.a" if self.devices else self.libraries

    @property
    def is_crossed(self) -> bool:
        """Whether some compiler is for another machine than this one."""
        return bool(self.cross_compiler) or any(device.cross_compiler for device in self.devices)

    @property
    def crossed(self) -> str:
        """The target that has a compiler of its own."""
        crossed = [device.target for device in self.devices if device.cross_compiler]
        return self.target if self.cross_compiler else crossed[0]

    @property
    def commands(self) -> str:
        """How the Makefile compiles: what the objects depend on."""
        return " ".join(["$(COMPILE)", *(f"$({device.macro}_COMPILE)" for device in self.devices)])

    @property
    def hosted(self) -> str:
        """What `make` is told to build everything for this machine."""
        others = [f'{device.macro}_CC="$(HOSTCC)" {device.macro}_TARGET_CFLAGS=' for device in self.devices]
        return " ".join(['CC="$(HOSTCC)" BUILD="$(BUILD)/host" TARGET_CFLAGS=', *others])

    @property
    def installed(self) -> str:
        """The libraries that CMake installs."""
        return " ".join([self.name, *(f"{self.name}_{device.name}" for device in self.devices)])

    @property
    def phony(self) -> str:
        """The targets of the Makefile that are no files."""
        chat = ["chat"] if self.chats else []
        return " ".join(["all", "test", "clean", *chat, *(device.name for device in self.devices), "FORCE"])

    @property
    def generated_spdx(self) -> str:
        """The machine-readable licence of a generated file."""
        return GENERATED

    @property
    def release(self) -> str:
        """The version as numbers only."""
        return ".".join(map(str, release(self.version)))

    @property
    def runtime_version(self) -> int:
        """The value of S2S_RUNTIME_VERSION in the headers that the tree wants."""
        return RUNTIME_VERSION

    @property
    def size_definitions(self) -> list[str]:
        """Return the header's macros of the memory that the network needs."""
        return definitions(self.macro, [Row(row.name, f"{row.value}u", row.comment) for row in self.sizes])

    def banner(self, what: str) -> list[str]:
        """Return the comment at the top of a C file."""
        return comment_lines(f"{what}.\nGenerated by s2s {self.version} from {self.origin}.\nDo not edit.\n{GENERATED}")


def origin(info: NetworkInfo) -> str:
    """Return a comment with the model's file name and hash."""
    return f"{info.source} (sha256 {info.sha256[:_DIGEST]}...)"


def port_views(info: NetworkInfo) -> tuple[PortView, ...]:
    """The inputs, then the outputs, in the header."""
    words = {"input": info.inputs, "output": info.outputs}
    return tuple(
        PortView(_comment(info, word, port), _definitions(info, port))
        for word, ports in words.items()
        for port in ports
    )


def _definitions(info: NetworkInfo, port: Port) -> list[str]:
    macro = info.port_macro(port)
    rows = [Row("SIZE", f"{port.count}u")]
    rows += [Row("OFFSET", f"{port.offset}u")] if port.offset is not None else []
    rows += [Row("TEXT_COUNT", f"{len(port.texts)}u")] if port.texts else []
    rows += _quantisation(port.quantisation) if port.quantisation else []
    listed = initializer(f"{macro}_TEXTS", map(c_string, port.texts)) if port.texts else []
    return [*definitions(macro, rows), *listed]


def _comment(info: NetworkInfo, word: str, port: Port) -> str:
    shape = "".join(
        f"[{size} at most: {size_formula(name, info.sizes, info.derived_sizes)}]" if name else f"[{size}]"
        for size, name in zip(port.shape, port.axes, strict=True)
    )
    layout = f" ({port.layout})" if port.layout else ""
    real = f"; {port.quantisation.formula()}" if port.quantisation else ""
    if port.model is not None:
        bits = NARROW[port.model.dtype].bits
        sizes = "" if port.model.has_axes else "".join(f"[{size}]" for size in port.model.shape)
        real = f"; {port.model.type_name}{sizes}, {bits} bits each" + (", the first lowest" if bits < 8 else "")
    if port.texts:
        real = f"; numbers of texts, from 0 on: {info.port_macro(port)}_TEXTS"
    return c_comment(f"{word}: {port.name}, {port.c_type}{shape}{layout}{real}")


def _quantisation(quantised: Quantisation) -> list[Row]:
    """The macros of a quantised input or output."""
    zero_point = quantised.zero_point
    return [
        Row("SCALE", float_literal(quantised.scale, f32)),
        Row("ZERO_POINT", f"({zero_point})" if zero_point < 0 else str(zero_point)),
    ]


def sizes(info: NetworkInfo, weights_size: int, graph: c.GlobalOp | None) -> list[Row]:
    """Return the rows of the header's memory macros; `graph` adds rows of the graph executor."""
    rows = [
        Row("ARENA_SIZE", str(info.arena_size), "bytes of RAM that the caller provides"),
        Row("ARENA_ALIGN", str(info.arena_align), "alignment of the arena, in bytes"),
        Row("WEIGHTS_SIZE", str(weights_size), "bytes of constants in flash"),
    ]
    if info.pushed is not None:
        rows.append(Row("PUSHED_ROWS", str(info.pushed.rows), f"rows of a frame, which {info.name}_push takes"))
        shape = list(info.inputs[0].shape)
        shape[info.pushed.axis] = 1
        rows.append(Row("PUSHED_ROW_SIZE", str(prod(shape)), f"elements of a row, {'x'.join(map(str, shape))}"))
    if info.steps is not None:
        unit = c_macro(info.steps.unit)
        rows.append(Row("STEPS", str(info.steps.number), "steps of a run"))
        longest = "the most that a step takes, by the model of the target"
        rows.append(Row(f"MAX_STEP_{unit}", str(info.steps.longest), longest))
    if info.states:
        of_state = Row("STATE_SIZE", str(info.state_size), "of these, at its start: the state, which outlives a run")
        rows.insert(1, of_state)
    for pool in info.pools:
        size = Row(f"ARENA_{c_macro(pool.name)}_SIZE", str(pool.size), f"bytes of them in {pool.name}")
        rows += [size, *pool_address(pool)]
    if info.threads is not None:
        rows.append(Row("THREADS", str(info.threads.most), "the most threads that share a kernel"))
    rows = measured_sizes(rows, info.measured, info.target)
    if graph is not None:
        staged, slots = _number(graph, "staged_size"), _number(graph, "slots")
        rows.append(Row("GRAPH_STAGED_SIZE", staged, "bytes of RAM with room for copies of inputs and outputs"))
        rows.append(Row("GRAPH_SLOTS", slots, "pointers that an executor needs"))
        if (count := _number(graph, "sizes")) != "0":
            rows.append(Row("GRAPH_SIZES", count, "sizes that vary from run to run, derived ones included"))
    return rows


def measured_sizes(rows: Sequence[Row], measured: Measured | None, target: Target) -> list[Row]:
    """Return `rows`, which begin with the two of the arena, with the rows of the sizes that are measured."""
    if measured is None:
        return list(rows)
    by = f"by {measured.by} for {target.name}"
    stack = (
        [] if measured.stack is None else [Row("STACK_SIZE", str(measured.stack), f"bytes of the deepest stack, {by}")]
    )
    return [
        *rows[:2],
        *stack,
        *rows[2:],
        Row("CODE_SIZE", str(measured.code), f"bytes of machine code, {by}"),
        Row("FLASH_SIZE", str(measured.flash), "bytes of machine code and constants"),
    ]


def budgets(info: NetworkInfo) -> list[Row]:
    """Return the sums of sizes that a project may limit, by the name of the limiting macro."""
    macro = c_macro(info.name)
    rows = [
        Row("ARENA", f"{macro}_ARENA_SIZE", "arena_is"),
        Row("WEIGHTS", f"{macro}_WEIGHTS_SIZE", "weights_are"),
    ]
    if info.measured is not None:
        rows.append(Row("FLASH", f"{macro}_FLASH_SIZE", "flash_is"))
        if info.measured.stack is not None:
            rows.append(Row("STACK", f"{macro}_STACK_SIZE", "stack_is"))
    return rows


def _number(table: c.GlobalOp, key: str) -> str:
    number = table.attributes.get(key)
    if not isinstance(number, IntegerAttr):
        raise CompilerBug(f"{table.sym_name.data} states no {key}")
    return str(number.value.data)
