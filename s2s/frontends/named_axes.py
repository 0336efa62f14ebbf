"""Names that the user gives axes of inputs, `--shape x=N,28,28`, for `--dim N=1..8` to give these a size."""

from collections.abc import Mapping

from s2s.errors import InputError
from s2s.frontends.names import one_line
from s2s.types.sizes import DimSize, InputShapes, at_most


def axis_names(shapes: InputShapes) -> list[str]:
    """Return the names of axes in `shapes`, each once."""
    return list(dict.fromkeys(size for shape in shapes.values() for size in shape if isinstance(size, str)))


def sized(shapes: InputShapes, dims: Mapping[str, DimSize]) -> dict[str, tuple[int, ...]]:
    """Return `shapes` with the size that `dims` give each named axis, where sizes vary the greatest."""
    sizes = at_most(dims)
    missing = next((name for name in axis_names(shapes) if name not in sizes), None)
    if missing is not None:
        port = next(port for port, shape in shapes.items() if missing in shape)
        raise InputError(
            f"--shape {one_line(port)}: the axis {missing} has no size; give it one, --dim {missing}=4, or bounds of "
            f"one that is known at run time, --dim {missing}=1..4"
        )
    return {
        port: tuple(sizes[size] if isinstance(size, str) else size for size in shape) for port, shape in shapes.items()
    }
