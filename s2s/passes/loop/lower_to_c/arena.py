"""Access buffers of the arena in C: by offsets from a pointer, or as members of a union.

    s2s_status net_run(void *arena, …)              s2s_status net_run(net_arena *arena, …)
        float *const a = arena;
        net_conv(a + 64, …);                            net_conv(arena->conv1.data, …);

The first is shorter, and any memory will do. The second converts no pointer to one of another type, as coding standards
want it: the plan becomes a type, which says where each buffer lies and which ones share their bytes.

Above the run function stands the arena as a table:

    The arena, 8,438 bytes. A step is a call, a copy or a loop below, from 1 on; 0 is before the first.
    place         offset  bytes  from  to  tensor
    mfcc            7248    490     0   1  input
    a_i8 + 0           0   8000     1   2  conv1, relu1
    a_i16 + 4000    8000    438     1   1  scratch of conv1, relu1

A result may lie over an operand that its kernel has read, as `conv1` over the end of `mfcc`.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import ClassVar

from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, MemRefType, ModuleOp, Signedness
from xdsl.ir import Attribute, SSAValue

from s2s.c_syntax.identifiers import port_identifiers, unique_identifiers
from s2s.c_syntax.types import element_name
from s2s.dialects import c, loop
from s2s.errors import CompilerBug
from s2s.passes.loop.lower_to_c.builder import Builder
from s2s.passes.loop.lower_to_c.main import Main
from s2s.passes.loop.plan_memory import OFFSET
from s2s.passes.loop.segments import Segment, segments_of
from s2s.passes.loop.timeline import Occupied, timeline_of_network
from s2s.types.dtypes import size_in_bytes
from s2s.types.hints import isa

_VOID_POINTER = c.PtrType(c.VOID)
_WHOLE = "whole"
_WIDEST = 8
"""Bytes of the largest integer type that can align the union."""
MAX_ROWS = 32
"""Rows of a table; of a network with more tensors, it shows what lives in the fullest step."""
MAX_NAME = 44
"""Characters of a tensor's name in the table."""
_HEAD = ("place", "offset", "bytes", "from", "to", "tensor")


class Arena(ABC):
    """The arena of one function."""

    is_aligned: ClassVar[bool]
    """Whether the type alone guarantees the alignment of every buffer."""

    @abstractmethod
    def types(self, count: int) -> list[c.PtrType]:
        """The types of the first `count` arena parameters of the function: one, or one for each segment."""

    @property
    def identifiers(self) -> frozenset[str]:
        """The names that `enter` has declared in the function."""
        return frozenset()

    @abstractmethod
    def enter(self, b: Builder, arenas: Sequence[SSAValue], views: Sequence[loop.ViewOp]) -> None:
        """Declare the pointers that the function needs to access `views`."""

    @abstractmethod
    def view(self, b: Builder, op: loop.ViewOp) -> SSAValue:
        """Return a pointer to a buffer."""

    @abstractmethod
    def spelling(self, op: loop.ViewOp) -> str:
        """Return how the pointer to a buffer reads in the function: `a + 1024`."""


class PlainArena(Arena):
    """A pointer to any memory."""

    is_aligned = False

    def __init__(self, segments: Sequence[Segment] = ()) -> None:
        self._segments = segments
        """The parts of the arena in different pools, each with a pointer of its own."""
        self._bases: dict[tuple[int, Attribute], c.LetOp] = {}

    def types(self, count: int) -> list[c.PtrType]:
        return [_VOID_POINTER] * count

    @property
    def identifiers(self) -> frozenset[str]:
        return frozenset(base.identifier.data for base in self._bases.values())

    def enter(self, b: Builder, arenas: Sequence[SSAValue], views: Sequence[loop.ViewOp]) -> None:
        """Declare one pointer for each element type: `float *const a = arena;`, for each pool."""
        for number, arena in enumerate(arenas):
            here = [view for view in views if _segment_of(view, self._segments) == number]
            elements = list(dict.fromkeys(element_of(view.result.type) for view in here))
            letter = f"a{number + 1}" if number else "a"
            names = [letter] if len(elements) == 1 else [f"{letter}_{element_name(element)}" for element in elements]
            for name, element in zip(names, elements, strict=True):
                self._bases[number, element] = c.LetOp(name, arena, c.PtrType(element))
                b.add(self._bases[number, element])

    def view(self, b: Builder, op: loop.ViewOp) -> SSAValue:
        """Write `a + 1024`, counted in elements; the offset is always written, so that the calls show the plan."""
        base, position = self._place(op)
        return b.binary("+", base.result, b.literal(position, IndexType()))

    def spelling(self, op: loop.ViewOp) -> str:
        base, position = self._place(op)
        return f"{base.identifier.data} + {position}"

    def _place(self, op: loop.ViewOp) -> tuple[c.LetOp, int]:
        """Return the pointer of the segment and element type of a buffer, and its offset from there in elements."""
        element = element_of(op.result.type)
        number = _segment_of(op, self._segments)
        start = op.start - (self._segments[number].offset if self._segments else 0)
        position, rest = divmod(start, size_in_bytes(element))
        if rest:
            raise CompilerBug(f"a buffer of {element} lies at byte {op.start} of the arena")
        return self._bases[number, element], position


def _segment_of(op: loop.ViewOp, segments: Sequence[Segment]) -> int:
    """Return the number of the segment that holds a buffer."""
    return max((number for number, segment in enumerate(segments) if segment.offset <= op.start), default=0)


class TypedArena(Arena):
    """A union with a member for each buffer of a segment, and for each input and output that has a place there."""

    is_aligned = True

    def __init__(
        self,
        name: str,
        views: Sequence[loop.ViewOp],
        size: int,
        align: int,
        ports: Mapping[str, tuple[int, Attribute]],
        start: int = 0,
    ) -> None:
        self._name = name
        self._arena: SSAValue | None = None
        hints = [view.result.name_hint or "buffer" for view in views]
        names = unique_identifiers([_WHOLE, *ports, *hints])
        self._members = dict(zip(views, names[1 + len(ports) :], strict=True))
        word = min(align, _WIDEST)
        whole = c.ArrayType(-(-max(size, 1) // word), IntegerType(8 * word, Signedness.UNSIGNED))
        offsets = [0, *(offset for offset, _ in ports.values()), *(view.start - start for view in views)]
        types = [whole, *(type for _, type in ports.values()), *(flat_array(view.result.type) for view in views)]
        self.definitions: list[c.OverlayOp] = [c.OverlayOp(name, names, offsets, types)]

    def types(self, count: int) -> list[c.PtrType]:
        return [c.PtrType(c.NamedType(self._name))]

    def enter(self, b: Builder, arenas: Sequence[SSAValue], views: Sequence[loop.ViewOp]) -> None:
        """Declare nothing."""
        (self._arena,) = arenas

    def view(self, b: Builder, op: loop.ViewOp) -> SSAValue:
        """Write `arena->conv1.data`, or `&arena->body.data` for the arena of another network."""
        if self._arena is None:
            raise CompilerBug("a buffer of an arena that has no pointer yet")
        member = b.add(c.MemberOp(self._arena, self._members[op], c.NamedType("struct")))
        data = b.add(c.MemberOp(member, "data", flat_array(op.result.type)))
        return b.add(c.AddressOfOp(data))

    def spelling(self, op: loop.ViewOp) -> str:
        return f"arena->{self._members[op]}"


class SegmentedTypedArena(Arena):
    """A union for each segment: for each memory pool, and for the memory of each device."""

    is_aligned = True

    def __init__(self, name: str, views: Sequence[loop.ViewOp], align: int, segments: Sequence[Segment]) -> None:
        self._segments = segments
        here = [[view for view in views if _segment_of(view, segments) == number] for number in range(len(segments))]
        self._parts = [
            TypedArena(f"{name}_{segment.pool}", held, segment.size, align, {}, segment.offset)
            for segment, held in zip(segments, here, strict=True)
        ]
        self.definitions = [definition for part in self._parts for definition in part.definitions]

    def types(self, count: int) -> list[c.PtrType]:
        return [type for part in self._parts[:count] for type in part.types(1)]

    def enter(self, b: Builder, arenas: Sequence[SSAValue], views: Sequence[loop.ViewOp]) -> None:
        """Declare nothing."""
        for part, arena in zip(self._parts, arenas, strict=False):
            part.enter(b, [arena], views)

    def view(self, b: Builder, op: loop.ViewOp) -> SSAValue:
        """Write `arena_dsp->conv1.data`."""
        return self._parts[_segment_of(op, self._segments)].view(b, op)

    def spelling(self, op: loop.ViewOp) -> str:
        number = _segment_of(op, self._segments)
        return self._parts[number].spelling(op).replace("arena", f"arena_{self._segments[number].pool}", 1)


def typed_arena(main: Main, name: str) -> TypedArena | SegmentedTypedArena:
    """Create the arena type `name` of `main`, or a type for each of its segments."""
    views = [op for op in main.func.body.block.ops if isinstance(op, loop.ViewOp)]
    segments = segments_of(main.func)
    if segments:
        return SegmentedTypedArena(name, views, main.arena_align, segments)
    inputs, outputs = port_identifiers(main.input_names, main.output_names)
    ports: dict[str, tuple[int, Attribute]] = {}
    for port, value in zip([*inputs, *outputs], [*main.inputs, *main.outputs], strict=True):
        offset = main.attribute(value, OFFSET)
        if isinstance(offset, IntegerAttr):
            ports[port] = (offset.value.data, flat_array(value.type))
    return TypedArena(name, views, main.arena_size, main.arena_align, ports)


def arena_table(main: Main, arena: Arena, ports: Mapping[SSAValue, str]) -> str | None:
    """Return the table of `main`, whose inputs and outputs are the parameters `ports`; None without an arena."""
    module = main.func.parent_op()
    if not isinstance(module, ModuleOp) or not main.arena_size:
        return None
    timeline = timeline_of_network(main.func, module)
    head = (
        f"The arena, {main.arena_size:,} bytes. "
        "A step is a call, a copy or a loop below, from 1 on; 0 is before the first."
    )
    shown = _joined(timeline.buffers, main)
    if len(shown) > MAX_ROWS:
        live = _joined(timeline.live(timeline.fullest), main)[:MAX_ROWS]
        head += f"\nHere are {len(live)} of {len(shown)} tensors: those of step {timeline.fullest + 1}, the fullest."
        shown = live
    starts = [segment.offset for segment in segments_of(main.func)]
    rows = [
        (place, *map(str, (_within(tensor.offset, starts), tensor.size, tensor.first + 1, tensor.last + 1)), what)
        for tensor in sorted(shown, key=lambda tensor: (tensor.first, tensor.last, tensor.offset))
        for place, what in [_named(tensor, arena, ports)]
    ]
    return "\n".join([head, *_aligned([_HEAD, *rows])]) if rows else None


def _within(offset: int, starts: Sequence[int]) -> int:
    """Return the offset of a byte of the arena in its segment, if the arena has segments, which begin at `starts`."""
    return offset - max((start for start in starts if start <= offset), default=0)


def _joined(buffers: Iterable[Occupied], main: Main) -> list[Occupied]:
    """Join what one view holds in steps that follow each other, as a loop writes its state again; leave
    out the arena itself, which networks share that need none."""
    joined: dict[SSAValue, Occupied] = {}
    done: list[Occupied] = []
    parts = [tensor for tensor in buffers if tensor.value is not main.arena]
    for tensor in sorted(parts, key=lambda tensor: tensor.first):
        before = joined.get(tensor.value)
        if before is not None and tensor.first <= before.last:
            tensor = replace(tensor, first=before.first, last=max(before.last, tensor.last))
        elif before is not None:
            done.append(before)
        joined[tensor.value] = tensor
    return [*done, *joined.values()]


def _named(buffer: Occupied, arena: Arena, ports: Mapping[SSAValue, str]) -> tuple[str, str]:
    """Return how the code writes the place of a tensor, and the source nodes that it comes from."""
    owner = buffer.value.owner
    place = arena.spelling(owner) if isinstance(owner, loop.ViewOp) else ports[buffer.value]
    name = _short(buffer.name)
    if buffer.kind in ("input", "state"):
        return place, buffer.kind if name == place else f"{buffer.kind} {name}"
    return place, f"scratch of {name}" if buffer.kind == "scratch" else name


def _short(name: str) -> str:
    """Shorten names of source nodes to the first and the last of them."""
    nodes = name.split(", ")
    if len(name) > MAX_NAME and len(nodes) > 2:
        name = f"{nodes[0]}, ..., {nodes[-1]}"
    return name if len(name) <= MAX_NAME else f"...{name[-MAX_NAME:]}"


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Align the columns of `rows`: text to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join([f"{row[0]:<{widths[0]}}", *map(str.rjust, row[1:-1], widths[1:-1]), row[-1]]) for row in rows]


@lru_cache(maxsize=4096)
def flat_array(type: Attribute) -> c.ArrayType:
    """Return the C array type of a buffer."""
    return c.ArrayType(_buffer_type(type).get_shape()[0], element_of(type))


def element_of(type: Attribute) -> Attribute:
    """Return the element type of a buffer."""
    return _buffer_type(type).element_type


def _buffer_type(type: Attribute) -> MemRefType[Attribute]:
    if not isa(type, MemRefType):
        raise CompilerBug(f"{type} is not a buffer")
    return type
