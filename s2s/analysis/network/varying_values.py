"""Find the tensors of a network whose shape varies from run to run, before operators become kernels."""

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import SSAValue

from s2s.analysis.network.extents import ExtentsPropagation
from s2s.analysis.structure.compute import shape_of
from s2s.errors import CompilerBug, UnsupportedError
from s2s.types.sizes import Extents, sizes_of


class VaryingValues:
    """Which tensors of a network have a size that varies."""

    def __init__(self, module: ModuleOp) -> None:
        self._extents: dict[SSAValue, Extents] = {}
        self._is_whole = True
        """Whether all extents are known; a later pass refuses the first operator whose result has unknown ones."""
        if sizes_of(module.attributes):
            propagation = _OfOperators(module)
            try:
                propagation.run()
            except UnsupportedError:
                self._is_whole = False
            self._extents = propagation.extents

    def extents_of(self, value: SSAValue) -> Extents | None:
        """Return the extents of `value`; None where they are not known."""
        known = self._extents.get(value)
        return ("",) * len(shape_of(value)) if known is None and self._is_whole else known

    def size_of(self, values: Sequence[SSAValue]) -> str | None:
        """Return the first size of `values` that varies, None if they have constant shapes."""
        for value in values:
            unknown = () if self._is_whole else ("of unknown value",)
            size = next(filter(None, self._extents.get(value, unknown)), None)
            if size is not None:
                return size
        return None


class _OfOperators(ExtentsPropagation):
    """The propagation through functions that hold operators of dialect `graph`."""

    def mark(self, kernel: FuncOp, operands: Sequence[Extents]) -> tuple[Extents, ...]:
        for op in kernel.body.block.ops:
            if isinstance(op, ReturnOp):
                return tuple(self.of(op.arguments))
            self.of_operation(op)
        raise CompilerBug(f"{kernel.sym_name.data} does not return")
