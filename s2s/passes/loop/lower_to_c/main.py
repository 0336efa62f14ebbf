"""The arguments of `main` after the memory plan, by their role."""

from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerAttr, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, SSAValue

from s2s.errors import CompilerBug
from s2s.passes.loop.plan_memory import ARENA_SIZE


@dataclass(frozen=True)
class Main:
    """`main` with its arena, outputs and inputs told apart."""

    func: FuncOp

    @property
    def arena(self) -> SSAValue:
        """The memory that lies between two kernels."""
        return self._with_role("arena")[0]

    @property
    def inputs(self) -> list[SSAValue]:
        """The buffers that the caller fills."""
        return self._with_role("input")

    @property
    def outputs(self) -> list[SSAValue]:
        """The buffers that the network fills."""
        return self._with_role("output")

    @property
    def input_names(self) -> list[str]:
        """The inputs' names in the model."""
        return [self._name(value) for value in self.inputs]

    @property
    def output_names(self) -> list[str]:
        """The outputs' names in the model."""
        return [self._name(value) for value in self.outputs]

    @property
    def arena_size(self) -> int:
        """Bytes of arena that the kernels need."""
        size = self.func.attributes.get(ARENA_SIZE)
        if not isinstance(size, IntegerAttr):
            raise CompilerBug("main states no arena size; run loop-plan-memory")
        return size.value.data

    def _with_role(self, role: str) -> list[SSAValue]:
        return [value for value in self.func.args if self._text(value, "role") == role]

    def _name(self, value: SSAValue) -> str:
        return self._text(value, "name") or value.name_hint or "x"

    def _text(self, value: SSAValue, key: str) -> str | None:
        if self.func.arg_attrs is None or not isinstance(value, BlockArgument):
            raise CompilerBug("the arguments of main have no roles; run tensor-lower-to-loop")
        text = self.func.arg_attrs.data[value.index].data.get(key)
        return text.data if isinstance(text, StringAttr) else None
