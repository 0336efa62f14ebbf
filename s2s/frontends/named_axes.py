"""Names that the user gives axes of inputs, `--shape x=N,28,28`, for `--dim N=1..8` to give these a size; or formulas
of names, `--shape y=2*N,28`."""

from collections.abc import Mapping

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir.affine import AffineConstantExpr

from s2s.errors import InputError
from s2s.frontends.names import one_line
from s2s.types.dtypes import AnyTensor, tensor_type
from s2s.types.size import Ledger
from s2s.types.size_formulas import SizeFormula, named_size, parse_formula
from s2s.types.sizes import DimSize, InputShapes, at_most


def axis_names(shapes: InputShapes) -> list[str]:
    """Return the names of sizes in `shapes`, each once."""
    return list(dict.fromkeys(name for shape in shapes.values() for size in shape for name in _formula(size).names))


def sized(shapes: InputShapes, dims: Mapping[str, DimSize]) -> dict[str, tuple[int, ...]]:
    """Return `shapes` with the size that `dims` give each named axis, where sizes vary the greatest."""
    sizes = at_most(dims)
    missing = next((name for name in axis_names(shapes) if name not in sizes), None)
    if missing is not None:
        port = next(port for port, shape in shapes.items() if missing in axis_names({port: shape}))
        raise InputError(
            f"--shape {one_line(port)}: the axis {missing} has no size; give it one, --dim {missing}=4, or bounds of "
            f"one that is known at run time, --dim {missing}=1..4"
        )
    return {port: tuple(_formula(size).at(sizes) for size in shape) for port, shape in shapes.items()}


def _formula(size: int | str) -> SizeFormula:
    if isinstance(size, str):
        return parse_formula(size) or named_size(size)
    return SizeFormula((), AffineConstantExpr(size))


def with_symbols(type: AnyTensor, name: str, ledger: Ledger) -> AnyTensor:
    """Return the type of the input `name` with its sizes that vary as symbols."""
    return tensor_type(type.element_type, ledger.port(name, type.get_shape()))


def state_sizes(module: ModuleOp, ledger: Ledger) -> None:
    """Make the types of `module` plain, mark the sizes of `ledger` in it, and let what follows from them say so."""
    if ledger.names:
        from s2s.frontends.symbolic_sizes import settle  # few networks have sizes that vary

        settle(module, ledger)
