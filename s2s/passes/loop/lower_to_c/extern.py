"""Lower calls of routines of the runtime."""

from s2s.c_syntax import headers
from s2s.dialects import c, loop, tensor
from s2s.errors import CompilerBug
from s2s.passes.loop.lower_to_c.affine import INDEX
from s2s.passes.loop.lower_to_c.builder import Builder
from s2s.passes.loop.lower_to_c.operations import LOWERINGS

_HEADERS = {
    "determinant": headers.DETERMINANT,
    "fft": headers.FFT,
    "fixed_dft": headers.FIXED_DFT,
    "fixed_idft": headers.FIXED_DFT,
    "largest": headers.SELECT,
    "max_regions": headers.REGIONS,
    "nonzero": headers.NONZERO,
    "roi_align": headers.REGIONS,
    "row_order": headers.ROW_ORDER,
    "smallest": headers.SELECT,
    "suppressed": headers.SUPPRESS,
}
"""The headers of routines, which have a form for each of several element types: `fft_f32`."""


@LOWERINGS.register(loop.ExternOp)
def call(b: Builder, op: loop.ExternOp) -> None:
    """A call of a C function: `s2s_largest_f32(y, scratch, x, 4, 100, 5);`."""
    routine = op.routine.data
    header = _HEADERS.get(routine.rpartition("_")[0])
    if header is None:
        raise CompilerBug(f"routine {routine} is in no header of the runtime")
    numbers = [b.literal(number, INDEX) for number in tensor.values_of(op.numbers)]
    arguments = [*(b.value(operand) for operand in op.operands), *numbers]
    b.block.add_op(c.CallOp(f"s2s_{routine}", arguments, header=header))
