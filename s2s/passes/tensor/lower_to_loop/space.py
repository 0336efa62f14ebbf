"""The loops around a point of code, and index expressions over them.

Analysis counts the iterations of each loop from 0, so that `(32 * n + k) floordiv 32` is seen to be `n`; the loops that
are emitted run over positions (`for (o = 0; o < 64; o += 32)`), which is what a reader wants. This file holds both
views together.
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
        """Go into `loop`; return its variable as an expression of iteration counts."""
        self.loops.append(loop)
        return AffineDimExpr(len(self.loops) - 1) * loop.step + loop.start

    def leave(self) -> None:
        """Come out of the innermost loop."""
        self.loops.pop()

    def linear(self, expr: AffineExpr) -> Linear:
        """`expr`, an expression of iteration counts, in its simplest linear form."""
        return linear(expr, self.bound)

    def emit(self, *exprs: AffineExpr) -> tuple[AffineMap, list[SSAValue]]:
        """Expressions of iteration counts as one map over the loop variables that occur in them."""
        return self.emit_forms(*map(self.linear, exprs))

    def emit_forms(self, *forms: Linear) -> tuple[AffineMap, list[SSAValue]]:
        """The same for expressions that are linear forms already."""
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
