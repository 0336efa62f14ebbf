"""Track the loops around the current block, and emit index expressions over them.

Analysis counts the iterations of each loop from 0, so that it can simplify `(32 * n + k) floordiv 32` to `n`; emitted
loops run over positions (`for (o = 0; o < 64; o += 32)`), as readers expect. This module converts between the two.
"""

from dataclasses import dataclass, field

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap

from s2s.types.affine import Linear, Range, linear


@dataclass(frozen=True)
class EnclosingLoop:
    """A loop whose variable takes `start + step * n` for `0 <= n < count`."""

    index: SSAValue
    start: int
    step: int
    count: int


@dataclass
class LoopSpace:
    """The enclosing loops, outermost first; dimension `n` of an expression counts the iterations of loop `n`."""

    loops: list[EnclosingLoop] = field(default_factory=list[EnclosingLoop])

    @property
    def bound(self) -> list[Range]:
        """The range of every iteration count."""
        return [(0, loop.count - 1) for loop in self.loops]

    def enter(self, loop: EnclosingLoop) -> AffineExpr:
        """Enter `loop`; return its variable as an expression of iteration counts."""
        self.loops.append(loop)
        return AffineDimExpr(len(self.loops) - 1) * loop.step + loop.start

    def leave(self) -> None:
        """Leave the innermost loop."""
        self.loops.pop()

    def linear(self, expr: AffineExpr) -> Linear:
        """`expr`, an expression of iteration counts, in linear form."""
        return linear(expr, self.bound)

    def emit(self, *exprs: AffineExpr) -> tuple[AffineMap, list[SSAValue]]:
        """Convert expressions of iteration counts to one map over the loop variables that they use."""
        return self.emit_forms(*map(self.linear, exprs))

    def emit_forms(self, *forms: Linear) -> tuple[AffineMap, list[SSAValue]]:
        """Like `emit`, for linear forms."""
        positions = [self._positions(form) for form in forms]
        used = sorted({dim for expr in positions for dim in expr.used_dims()})
        renumber: list[AffineExpr] = [
            AffineDimExpr(used.index(dim)) if dim in used else AffineDimExpr(0) for dim in range(len(self.loops))
        ]
        results = tuple(expr.replace_dims_and_symbols(renumber, ()) for expr in positions)
        return AffineMap(len(used), 0, results), [self.loops[dim].index for dim in used]

    def _positions(self, form: Linear) -> AffineExpr:
        """A linear form over iteration counts, rewritten over loop variables: `n = (variable - start) / step`."""
        total = Linear(form.constant)
        for atom, factor in form.terms.items():
            loop = self.loops[atom.position] if isinstance(atom, AffineDimExpr) else None
            if loop is None:
                atom = atom.replace_dims_and_symbols(self._counts(), ())
            elif factor % loop.step:
                assert isinstance(atom, AffineDimExpr)
                atom = self._counts()[atom.position]
            else:
                factor = factor // loop.step
                total = total.plus(Linear(-factor * loop.start))
            total = total.plus(Linear(0, {atom: factor}))
        return total.to_expr()

    def _counts(self) -> list[AffineExpr]:
        """The iteration count of each loop as an expression of its variable."""
        return [
            (AffineDimExpr(dim) - loop.start) // loop.step if loop.step > 1 else AffineDimExpr(dim) - loop.start
            for dim, loop in enumerate(self.loops)
        ]
