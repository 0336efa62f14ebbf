"""Import factors of matrices and systems of equations."""

from collections.abc import Mapping

from s2s.frontends.builder import Value
from s2s.frontends.formulas import reshape
from s2s.frontends.linear_systems import MAX_ROWS, cholesky, inverse, solve, solve_triangular, transposed
from s2s.frontends.torch.node import Importer, Node, Result
from s2s.types.size import all_plain


def _matrix(node: Node, name: str) -> Value:
    """Square matrices of a constant size."""
    x = node.value(name)
    if not all_plain(x.shape[-2:]) or x.shape[-1] > MAX_ROWS:
        rows = x.shape[-1]
        raise node.unsupported(f"a matrix has {rows} rows", f"give a constant number of at most {MAX_ROWS}")
    return x


def _checked(node: Node, result: Value) -> list[Value | None]:
    """A result that comes with the number of an error, which s2s does not compute."""
    if node.is_used(1):
        raise node.unsupported("says whether there is a result", "check the result for NaN and infinities")
    return [result, None]


def _cholesky(node: Node) -> Value:
    """The factor of a matrix; the upper triangle is the lower one transposed."""
    if node.flag("upper"):
        return transposed(cholesky(transposed(_matrix(node, "self"))))
    return cholesky(_matrix(node, "self"))


def _cholesky_ex(node: Node) -> Result:
    return _checked(node, _cholesky(node))


def _cholesky_solve(node: Node) -> Value:
    factor = _matrix(node, "input2")
    lower = transposed(factor) if node.flag("upper") else factor
    return _from_factor(lower, node.value("self"))


def _from_factor(lower: Value, b: Value) -> Value:
    """Solve `l l^T x = b`."""
    return solve_triangular(transposed(lower), solve_triangular(lower, b, upper=False), upper=True)


def _solve_triangular(node: Node) -> Value:
    a, b, upper = _matrix(node, "self"), node.value("B"), node.flag("upper")
    has_ones = node.flag("unitriangular")
    if node.flag("left"):
        return solve_triangular(a, b, upper=upper, has_ones=has_ones)
    return transposed(solve_triangular(transposed(a), transposed(b), upper=not upper, has_ones=has_ones))


def _solve(node: Node) -> Value:
    """`A X = B`, or `X A = B`; right sides are vectors where they have the shape of `A` without its last axis."""
    a, b = _matrix(node, "A"), node.value("B")
    if b.rank == 1 or (b.rank == a.rank - 1 and b.shape == a.shape[:-1]):
        x = solve(a, reshape(b, [*b.shape, 1]))
        return reshape(x, x.shape[:-1])
    return solve(a, b) if node.flag("left") else transposed(solve(transposed(a), transposed(b)))


IMPORTERS: Mapping[str, Importer] = {
    "cholesky": _cholesky,
    "cholesky_solve": _cholesky_solve,
    "inverse": lambda node: inverse(_matrix(node, "self")),
    "linalg_cholesky": _cholesky,
    "linalg_cholesky_ex": _cholesky_ex,
    "linalg_inv": lambda node: inverse(_matrix(node, "A")),
    "linalg_inv_ex": lambda node: _checked(node, inverse(_matrix(node, "A"))),
    "linalg_solve": _solve,
    "linalg_solve_triangular": _solve_triangular,
}
