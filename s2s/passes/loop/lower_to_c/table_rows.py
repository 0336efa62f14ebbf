"""Collect the tensors and calls of `main` as rows of constant tables.

Inputs of the network come first, then its weights, whose values an executor may replace, then its outputs, then the
buffers of the arena, then the sizes of the run.
"""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Literal, NamedTuple

from xdsl.dialects.builtin import DenseArrayBase, MemRefType, i32
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, SSAValue

from s2s.analysis.memory.buffers import outputs_of
from s2s.analysis.network.arguments import SHAPE
from s2s.c_syntax import headers
from s2s.c_syntax.identifiers import c_identifier
from s2s.dialects import loop
from s2s.dialects.graph.traits import provenance
from s2s.errors import CompilerBug
from s2s.memory.accesses import buffer_bytes
from s2s.passes.loop.lower_to_c.device_hooks import hook_of
from s2s.passes.loop.lower_to_c.main import Main
from s2s.passes.loop.lower_to_c.names import Names, specialised_calls
from s2s.passes.loop.lower_to_c.size_rows import SizeRows, size_rows
from s2s.passes.loop.lower_to_c.state_tables import StateRows, state_rows
from s2s.passes.loop.segments import Segment, segments_of
from s2s.types.devices import MAIN
from s2s.types.dtypes import size_in_bytes
from s2s.types.hints import isa
from s2s.types.weights import WeightStore

Place = Literal["INPUT", "OUTPUT", "ARENA", "DEVICE", "SIZE"]
_Step = CallOp | loop.BetweenDevices | loop.AroundDeviceCalls | loop.ReadSizeOp | loop.CopyOp | loop.AdvanceOp


class Tensor(NamedTuple):
    """A buffer: a numbered input or output, or a byte range of an arena."""

    name: str | None
    element: Attribute
    shape: tuple[int, ...]
    place: Place
    position: int
    weight: str | None = None
    """The C name of its value, until the caller binds another."""
    device: int = 0
    """The number of the device, from 0 for the second one, whose arena holds it."""

    @property
    def size(self) -> int:
        """Bytes."""
        return prod(self.shape) * size_in_bytes(self.element)


class Choice(NamedTuple):
    """A kernel for constant sizes, which is called in runs of these."""

    kernel: str
    """The C name of the kernel."""
    at: Mapping[int, int]
    """The sizes, by the numbers of the arguments of the call that hold them."""
    sizes: tuple[int, ...]
    """The numbers of the arguments that hold the sizes which the kernel takes."""


class Call(NamedTuple):
    """A kernel call: the numbers of its tensors, of which the first `results` are written."""

    kernel: str
    """The C name of the kernel."""
    nodes: str
    """The source nodes of the kernel, separated by commas."""
    arguments: tuple[int, ...]
    results: int
    numbers: tuple[int, ...] = ()
    """The last arguments of the function where these are no buffers: the size of a copy, the distance of a move."""
    sizes: tuple[int, ...] = ()
    """The numbers of the arguments that hold the sizes which the kernel takes, behind its buffers."""
    buffers: int | None = None
    """The number of buffers, which come first; None if all arguments are buffers."""
    choices: tuple[Choice, ...] = ()
    """The kernels for constant sizes."""
    header: str | None = None
    """The header that declares the function; None for what the network defines."""
    reads_size: bool = False
    """Whether the call reads the size that is its first argument from its second one, without a kernel."""


class Rows(NamedTuple):
    """The network as tables."""

    prefix: str
    tensors: tuple[Tensor, ...]
    calls: tuple[Call, ...]
    inputs: int
    """The number of network inputs, which come first; `parameters` weights follow."""
    parameters: int
    outputs: int
    arena_size: int
    arena_align: int
    status: str | None
    """The function that tells whether a kernel has failed; None if none can."""
    devices: tuple[Segment, ...] = ()
    """The arenas of the devices beside the first one."""
    sizes: SizeRows = SizeRows()
    """The sizes that vary from run to run."""
    state: StateRows = StateRows()
    """What outlives a run."""

    @property
    def staging(self) -> tuple[tuple[int, ...], int]:
        """Return where in a larger arena copies of inputs and outputs lie, and the size of that arena."""
        end, offsets = self.arena_size, list[int]()
        ports = [*self.tensors[: self.inputs], *self.output_tensors]
        for tensor in ports:
            offsets.append(-(-end // self.arena_align) * self.arena_align)
            end = offsets[-1] + tensor.size
        return tuple(offsets), end

    @property
    def output_tensors(self) -> Sequence[Tensor]:
        """The outputs, in order."""
        first = self.inputs + self.parameters
        return self.tensors[first : first + self.outputs]

    @property
    def max_arguments(self) -> int:
        """The maximum number of arguments of a call."""
        return max((len(call.arguments) for call in self.calls), default=0)

    @property
    def slots(self) -> int:
        """The number of pointers that an executor needs."""
        return self.inputs + self.parameters + self.outputs + self.max_arguments + len(self.devices)


def rows_of(main: Main, names: Names, kernels: Sequence[FuncOp], store: WeightStore) -> Rows:
    """Return the rows of `main`; weights have the shapes of the store, if it holds them."""
    body = list(main.func.body.block.ops)
    weights = [op for op in body if isinstance(op, loop.WeightOp)]
    views = [op for op in body if isinstance(op, loop.ViewOp)]
    tensors = [_port(main, value, "INPUT", number) for number, value in enumerate(main.inputs)]
    tensors += [_weight(op, names, len(main.inputs) + number, store) for number, op in enumerate(weights)]
    tensors += [_port(main, value, "OUTPUT", number) for number, value in enumerate(main.outputs)]
    segments = segments_of(main.func)
    tensors += [_in_arena(op, segments) for op in views]
    values = [*main.inputs, *(op.result for op in weights), *main.outputs, *(op.result for op in views)]
    sizes = size_rows(main, names)
    places = {size.name: len(tensors) + number for number, size in enumerate(sizes.sizes)}
    tensors += [Tensor(None, i32, (), "SIZE", number) for number in range(len(sizes.sizes))]
    numbers = {value: number for number, value in enumerate(values)}
    numbers |= {op.result: numbers[op.memory] for op in body if isinstance(op, loop.AdvanceOp)}
    results = {func.sym_name.data: len(outputs_of(func)) for func in kernels}
    return Rows(
        names.prefix,
        tuple(tensors),
        tuple(_step(op, names, numbers, results, places) for op in body if isinstance(op, _Step)),
        len(main.inputs),
        len(weights),
        len(main.outputs),
        sum(each.size for each in segments if each.pool == MAIN) if segments else main.arena_size,
        main.arena_align,
        names.status,
        _further(segments),
        sizes,
        state_rows(main, names, numbers),
    )


def _further(segments: Sequence[Segment]) -> tuple[Segment, ...]:
    """Return the segments of the devices beside the first one."""
    return tuple(each for each in segments if each.pool != MAIN)


def _in_arena(op: loop.ViewOp, segments: Sequence[Segment]) -> Tensor:
    """Return a buffer in the arena of its device."""
    for number, segment in enumerate(_further(segments)):
        if segment.offset <= op.start < segment.offset + segment.size:
            return Tensor(None, *_flat(op.result), "DEVICE", op.start - segment.offset, device=number)
    return Tensor(None, *_flat(op.result), "ARENA", op.start)


def _port(main: Main, value: SSAValue, place: Place, number: int) -> Tensor:
    element, flat = _flat(value)
    shape = main.attribute(value, SHAPE)
    dims = tuple(int(size) for size in shape.get_values()) if isinstance(shape, DenseArrayBase) else flat
    return Tensor(main.name(value), element, dims, place, number)


def _weight(op: loop.WeightOp, names: Names, number: int, store: WeightStore) -> Tensor:
    name = op.weight.data
    element, flat = _flat(op.result)
    shape = store.get(name).shape if name in store else flat
    return Tensor(name, element, shape, "INPUT", number, names.weights[name])


def _flat(value: SSAValue) -> tuple[Attribute, tuple[int, ...]]:
    if not isa(value.type, MemRefType):
        raise CompilerBug(f"{value.type} is not a buffer")
    return value.type.element_type, value.type.get_shape()


def _step(
    op: _Step, names: Names, numbers: dict[SSAValue, int], results: dict[str, int], places: Mapping[str, int]
) -> Call:
    if isinstance(op, loop.ReadSizeOp):
        arguments = (places[op.size.data], numbers[op.source])
        name = f"read_{c_identifier(op.size.data)}"
        return Call(name, ", ".join(provenance(op)), arguments, 1, reads_size=True)
    if isinstance(op, loop.WaitDeviceCopyOp | loop.AroundDeviceCalls):
        return Call(hook_of(names.prefix, op), ", ".join(provenance(op)), (), 0)
    if isinstance(op, loop.BetweenDevices):
        buffers, size = (numbers[op.target], numbers[op.source]), buffer_bytes(op.target)
        return Call(hook_of(names.prefix, op), ", ".join(provenance(op)), buffers, 1, (size,))
    if isinstance(op, loop.CopyOp):
        return Call(
            "memcpy", "", (numbers[op.target], numbers[op.source]), 1, (buffer_bytes(op.target),), header=headers.STRING
        )
    if isinstance(op, loop.AdvanceOp):
        return _advance(op, numbers)
    callee = op.callee.root_reference.data
    arguments = tuple(numbers[argument] for argument in op.arguments)
    call = Call(names.kernels[callee], ", ".join(provenance(op)), arguments, results[callee])
    return _with_sizes(call, op, names, places) if places else call


def _advance(op: loop.AdvanceOp, numbers: Mapping[SSAValue, int]) -> Call:
    """Move the elements of a window in place: rows have fixed addresses, so windows have no slack to move through."""
    if op.position is not None:
        raise CompilerBug("a window with slack has no row in the tables; leave out graph-give-windows-slack")
    element = size_in_bytes(_flat(op.result)[0])
    moved = (buffer_bytes(op.result), op.by.value.data * element)
    return Call("s2s_move_down", "", (numbers[op.memory],), 1, moved, header=headers.WINDOW)


def _with_sizes(call: Call, op: CallOp, names: Names, places: Mapping[str, int]) -> Call:
    """Add to `call` the sizes that its kernel takes, and the kernels for constant sizes with theirs."""
    chosen = [(names.kernels[callee], at) for callee, at in specialised_calls(op)]
    taken = [names.sizes.get(call.kernel, ()), *(names.sizes.get(kernel, ()) for kernel, _ in chosen)]
    needed = list(dict.fromkeys(name for each in (*taken, *(at for _, at in chosen)) for name in each))
    first = len(call.arguments)
    at = {name: first + number for number, name in enumerate(needed)}
    return call._replace(
        arguments=(*call.arguments, *(places[name] for name in needed)),
        buffers=first,
        sizes=tuple(at[name] for name in taken[0]),
        choices=tuple(
            Choice(kernel, {at[name]: value for name, value in sizes.items()}, tuple(at[name] for name in own))
            for (kernel, sizes), own in zip(chosen, taken[1:], strict=True)
        ),
    )
