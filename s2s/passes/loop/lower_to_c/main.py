"""Classify the arguments of `main` after memory planning by their role."""

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import IntegerAttr, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument, SSAValue

from s2s.analysis.network.arguments import Role, arguments_in
from s2s.analysis.network.functions import NAME
from s2s.errors import CompilerBug
from s2s.passes.loop.plan_memory import ARENA_ALIGN, ARENA_SIZE


class Main(NamedTuple):
    """`main` with its arena, outputs and inputs."""

    func: FuncOp

    @property
    def arena(self) -> SSAValue:
        """The arena argument."""
        return arguments_in(self.func, Role.ARENA)[0]

    @property
    def inputs(self) -> Sequence[SSAValue]:
        """The buffers that the caller fills."""
        return arguments_in(self.func, Role.INPUT)

    @property
    def outputs(self) -> Sequence[SSAValue]:
        """The buffers that the network fills."""
        return arguments_in(self.func, Role.OUTPUT)

    @property
    def input_names(self) -> list[str]:
        """The inputs' names in the model."""
        return [self.name(value) for value in self.inputs]

    @property
    def output_names(self) -> list[str]:
        """The outputs' names in the model."""
        return [self.name(value) for value in self.outputs]

    @property
    def arena_size(self) -> int:
        """Bytes of arena that the kernels need."""
        return self._planned(ARENA_SIZE)

    @property
    def arena_align(self) -> int:
        """Alignment of the arena in bytes."""
        return self._planned(ARENA_ALIGN)

    def name(self, value: SSAValue) -> str:
        """The name of an input or output in the model."""
        name = self.attribute(value, NAME)
        return name.data if isinstance(name, StringAttr) else value.name_hint or "x"

    def attribute(self, value: SSAValue, key: str) -> Attribute | None:
        """Return an attribute of an argument of `main`."""
        if self.func.arg_attrs is None or not isinstance(value, BlockArgument):
            raise CompilerBug("the arguments of main have no roles; run tensor-lower-to-loop")
        return self.func.arg_attrs.data[value.index].data.get(key)

    def _planned(self, key: str) -> int:
        number = self.func.attributes.get(key)
        if not isinstance(number, IntegerAttr):
            raise CompilerBug(f"main states no {key}; run loop-plan-memory")
        return number.value.data
