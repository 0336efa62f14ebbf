"""Track the loops around the current block, and emit index expressions over them.

Analysis counts the iterations of each loop from 0, so that it can simplify `(32 * n + k) floordiv 32` to `n`; emitted
loops run over positions (`for (o = 0; o < 64; o += 32)`), as readers expect. This module converts between the two.
"""

from dataclasses import field

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap

from s2s.support.frozen import frozen
from s2s.support.mutable import mutable
from s2s.types.affine import Linear, Range, at_dims, bounds, is_dim, linear


@frozen
class PositionBlock:
    """Positions `base … base + size - 1`; `base` is an expression of the iteration counts of enclosing loops."""

    base: AffineExpr
    size: int


@frozen
class EnclosingLoop:
    """A loop whose variable takes `start + step * n` for `0 <= n < count`."""

    index: SSAValue
    start: int
    step: int
    count: int
    block: PositionBlock | None = None
    """The positions among which it stays, where an enclosing loop moves these."""


@mutable
class LoopSpace:
    """The enclosing loops, outermost first; dimension `n` of an expression counts the iterations of loop `n`."""

    loops: list[EnclosingLoop] = field(default_factory=list[EnclosingLoop])

    @property
    def bound(self) -> list[Range]:
        """The range of every iteration count."""
        return [(0, loop.count - 1) for loop in self.loops]

    @property
    def identity(self) -> list[AffineExpr]:
        """The iteration counts themselves."""
        return [AffineDimExpr(dim) for dim in range(len(self.loops))]

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

    def highest(self, expr: AffineExpr) -> int:
        """Return the highest value of `expr`, for loops over blocks with the positions of one block only.

        With `k_block` in steps of 8 up to 24 and `k` inside of a block, `k - k_block` is at most 7. The ranges of both
        alone would allow 31.
        """
        everywhere, bound = self.linear(expr), self.bound
        in_blocks = closest = everywhere
        for number in reversed(range(len(self.loops))):
            in_blocks = self._in_block(in_blocks, number, bound)
            closer = self._in_block(closest, number, bound)  # a last block may be shorter: then positions say more
            closest = min(closer, closest, key=lambda form: bounds(form.to_expr(), bound)[1])
        return min(bounds(form.to_expr(), bound)[1] for form in (everywhere, in_blocks, closest))

    def _in_block(self, form: Linear, number: int, bound: list[Range]) -> Linear:
        """Return `form` with the positions of loop `number` as the beginning of their block and an offset, a dimension
        that is appended to `bound`; `form` itself, where it does not depend on the loop so."""
        loop, count = self.loops[number], AffineDimExpr(number)
        factor, rest = divmod(form.terms.get(count, 0), loop.step)
        if loop.block is None or not factor or rest or _is_divided(form, number):
            return form
        offset = self.linear(loop.block.base).plus(Linear(-loop.start))
        step = loop.step if _is_multiple(offset, loop.step) else 1
        form = form.plus(Linear(0, {count: 1}), -factor * loop.step).plus(offset, factor)
        form = form.plus(Linear(0, {AffineDimExpr(len(bound)): step}), factor)
        bound.append((0, -(-loop.block.size // step) - 1))
        return form

    def emit(self, *exprs: AffineExpr) -> tuple[AffineMap, list[SSAValue]]:
        """Convert expressions of iteration counts to one map over the loop variables that they use."""
        return self.emit_forms(*map(self.linear, exprs))

    def emit_forms(self, *forms: Linear) -> tuple[AffineMap, list[SSAValue]]:
        """Like `emit`, for linear forms."""
        positions = [self._positions(form) for form in forms]
        atoms = {atom for form in positions for atom in form.terms}
        used = sorted({dim for atom in atoms for dim in ((atom.position,) if is_dim(atom) else atom.used_dims())})
        renumber: list[AffineExpr] = [AffineDimExpr(0)] * len(self.loops)
        for number, dim in enumerate(used):
            renumber[dim] = AffineDimExpr(number)
        renumbered = {atom: renumber[atom.position] if is_dim(atom) else at_dims(atom, renumber) for atom in atoms}
        results = tuple(
            Linear(form.constant, {renumbered[atom]: factor for atom, factor in form.terms.items()}).to_expr()
            for form in positions
        )
        return AffineMap(len(used), 0, results), [self.loops[dim].index for dim in used]

    def _positions(self, form: Linear) -> Linear:
        """Return a linear form over iteration counts, rewritten over loop variables: `n = (variable - start) /
        step`."""
        constant, terms = form.constant, dict[AffineExpr, int]()
        for atom, factor in form.terms.items():
            if not is_dim(atom):
                atom = at_dims(atom, self._counts())
            elif factor % (loop := self.loops[atom.position]).step:
                atom = self._counts()[atom.position]
            else:
                factor = factor // loop.step
                constant -= factor * loop.start
            terms[atom] = terms.get(atom, 0) + factor
        return Linear(constant, {atom: factor for atom, factor in terms.items() if factor})

    def _counts(self) -> list[AffineExpr]:
        """Return the iteration count of each loop as an expression of its variable."""
        return [
            (AffineDimExpr(dim) - loop.start) // loop.step if loop.step > 1 else AffineDimExpr(dim) - loop.start
            for dim, loop in enumerate(self.loops)
        ]


def _is_divided(form: Linear, dim: int) -> bool:
    """Return whether a division in `form` depends on dimension `dim`."""
    return any(not is_dim(atom) and dim in atom.used_dims() for atom in form.terms)


def _is_multiple(form: Linear, number: int) -> bool:
    """Return whether all values of `form` are multiples of `number`."""
    return form.constant % number == 0 and all(factor % number == 0 for factor in form.terms.values())
