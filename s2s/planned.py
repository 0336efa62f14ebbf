"""The memory plan that `main` states once `loop-plan-memory` has run, for those who print it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute
from xdsl.utils.hints import isa

from s2s.emit.info import NetworkInfo, Overlapping, PortInfo
from s2s.errors import CompilerBug
from s2s.passes.loop.plan_memory import (
    ARENA_ALIGN,
    ARENA_APART_BOUND,
    ARENA_LOWER_BOUND,
    ARENA_OVERLAPS,
    ARENA_SIZE,
    OFFSET,
)
from s2s.types.symbols import function_named


@dataclass(frozen=True)
class Planned:
    """Sizes in bytes, and places of inputs and outputs in the arena, None for those without one."""

    size: int
    align: int
    bound: int
    apart_bound: int | None
    inputs: tuple[int | None, ...]
    outputs: tuple[int | None, ...]
    overlaps: tuple[Overlapping, ...]

    @classmethod
    def of(cls, module: ModuleOp) -> "Planned":
        """What the `main` of `module` states."""
        main = function_named(module, "main")
        if main is None:
            raise CompilerBug("the module lost its main")
        listed = main.attributes.get(ARENA_OVERLAPS)
        return cls(
            size=_stated(main, ARENA_SIZE),
            align=_stated(main, ARENA_ALIGN),
            bound=_stated(main, ARENA_LOWER_BOUND),
            apart_bound=_integer(main.attributes.get(ARENA_APART_BOUND)),
            inputs=_offsets(main, "input"),
            outputs=_offsets(main, "output"),
            overlaps=tuple(map(_overlapping, listed)) if isa(listed, ArrayAttr[DictionaryAttr]) else (),
        )

    def applied(self, info: NetworkInfo) -> NetworkInfo:
        """`info` with the places of its inputs and outputs."""
        return replace(info, inputs=_placed(info.inputs, self.inputs), outputs=_placed(info.outputs, self.outputs))


def describe_overlaps(overlaps: Sequence[Overlapping]) -> str:
    """The results that lie over what they read, in words."""
    return "; ".join(
        f"{each.nodes or 'a step'}: {each.bytes} bytes at distance {each.distance:+d}" for each in overlaps
    )


def _placed(ports: Sequence[PortInfo], offsets: Sequence[int | None]) -> tuple[PortInfo, ...]:
    return tuple(replace(port, offset=offset) for port, offset in zip(ports, offsets, strict=True))


def _offsets(main: FuncOp, role: str) -> tuple[int | None, ...]:
    arguments = [each.data for each in main.arg_attrs or () if each.data.get("role") == StringAttr(role)]
    return tuple(_integer(argument.get(OFFSET)) for argument in arguments)


def _overlapping(entry: DictionaryAttr) -> Overlapping:
    nodes, shared, distance = entry.data["nodes"], entry.data["bytes"], entry.data["distance"]
    assert isinstance(nodes, StringAttr)
    return Overlapping(nodes.data, _integer(shared) or 0, _integer(distance) or 0)


def _stated(main: FuncOp, key: str) -> int:
    value = _integer(main.attributes.get(key))
    if value is None:
        raise CompilerBug(f"main has no attribute {key}; loop-plan-memory states it")
    return value


def _integer(attribute: Attribute | None) -> int | None:
    return attribute.value.data if isinstance(attribute, IntegerAttr) else None
