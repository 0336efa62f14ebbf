"""Fourier transforms."""

from xdsl.dialects.builtin import UnitAttr
from xdsl.irdl import operand_def, opt_prop_def, prop_def, traits_def

from s2s.dialects.graph.base import INT, TENSOR, GraphOp, Value, flag, integer, type_of
from s2s.dialects.graph.traits import FusionKind, HasFusionKind
from s2s.dialects.operation import op_definition
from s2s.types.dtypes import AnyTensor
from s2s.types.shapes import signal


@op_definition
class DftOp(GraphOp):
    """`y[…, k] = sum over i of x[…, i] * roots[i * k mod n]` for `k < bins`: the Fourier transform of `n` numbers.

    The last dimension of `x` holds one part of a number (real) or two (real and imaginary). `roots[k]` is
    `exp(-2 pi i k / n)`. With `inverse`, the conjugate roots are taken; the result is not divided by `n`.

        %y = graph.dft %x, %roots {bins = 257} : (tensor<8x512x1xf32>, tensor<512x2xf32>) -> tensor<8x257x2xf32>
    """

    name = "graph.dft"
    x = operand_def(TENSOR)
    roots = operand_def(TENSOR)
    bins = prop_def(INT)
    inverse = opt_prop_def(UnitAttr)
    traits = traits_def(HasFusionKind(FusionKind.OPAQUE))
    assembly_format = "$x `,` $roots attr-dict `:` functional-type(operands, results)"

    def __init__(self, x: Value, roots: Value, *, bins: int, inverse: bool = False) -> None:
        super().__init__([x, roots], {"bins": integer(bins), "inverse": flag(inverse)})

    def inferred_type(self) -> AnyTensor:
        return signal.dft(type_of(self.x), type_of(self.roots), self.bins.value.data)


@op_definition
class FixedDftOp(GraphOp):
    """Fourier transform of rows of real numbers in fixed point, each step of which divides by its radix and rounds.

    `y[…, k] = 1 / n * sum over i of x[…, i] * exp(-2 pi i * k * sqrt(-1) / n)` for `k <= n / 2`, where x holds `n` real
    numbers of 15 or 31 fractional bits and `y` complex ones, whose last dimension is the real and the imaginary part.
    With `inverse` it is the other way round, with the opposite sign, and divides by `n` as well. `n` is even and a
    product of 2, 3 and 5. The steps are those of
    KissFFT: `roots[k]` is `exp(-2 pi k sqrt(-1) / h)` for the `h = n / 2` complex numbers that pairs of real ones make,
    and `turns[k]` is `exp(-pi ((k + 1) / h + 1 / 2) sqrt(-1))`; for the inverse, the conjugates.

        %y = graph.fixed_dft %x, %roots, %turns
               : (tensor<512xi16>, tensor<256x2xi16>, tensor<128x2xi16>) -> tensor<257x2xi16>
    """

    name = "graph.fixed_dft"
    x = operand_def(TENSOR)
    roots = operand_def(TENSOR)
    turns = operand_def(TENSOR)
    inverse = opt_prop_def(UnitAttr)
    traits = traits_def(HasFusionKind(FusionKind.OPAQUE))
    assembly_format = "$x `,` $roots `,` $turns attr-dict `:` functional-type(operands, results)"

    def __init__(self, x: Value, roots: Value, turns: Value, *, inverse: bool = False) -> None:
        super().__init__([x, roots, turns], {"inverse": flag(inverse)})

    def inferred_type(self) -> AnyTensor:
        return signal.fixed_dft(
            type_of(self.x), type_of(self.roots), type_of(self.turns), inverse=self.inverse is not None
        )
