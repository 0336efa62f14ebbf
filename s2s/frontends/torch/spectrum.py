"""Import calls on complex numbers: Fourier transforms, arithmetic, and operators that treat both parts alike.

`torch.stft` and `torch.istft` become frames of real numbers, `_fft_r2c` or `_fft_c2r`, and sums.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import prod, sqrt

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import arc_tangent, broadcast_to, cast, reshape, transpose, unsqueeze
from s2s.frontends.fourier import fourier
from s2s.frontends.torch.complex_numbers import Complex, split
from s2s.frontends.torch.dtypes import Number
from s2s.frontends.torch.node import Bound, Importer, Node
from s2s.frontends.torch.program import Call, Info, TensorInfo

PARTS: Mapping[str, str] = {"complex64": "float32", "complex128": "float64"}
"""The type of the parts of each complex type."""
_BY_ROOT, _BY_COUNT = 1, 2
"""How transforms are normalised; 0 leaves them as they are."""
_MOVES = (
    *("_unsafe_view", "alias", "clone", "detach", "expand", "flip", "index", "index_select", "lift_fresh_copy", "mean"),
    *("neg", "permute", "repeat", "reshape", "roll", "select", "slice", "split", "split_with_sizes", "squeeze", "sum"),
    *("t", "transpose", "unbind", "unfold", "unsqueeze", "view"),
)
BY_PARTS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(_MOVES, ("self",)),
    **dict.fromkeys(("add", "sub", "where"), ("self", "other")),
    **dict.fromkeys(("cat", "stack"), ("tensors",)),
    "constant_pad_nd": ("self", "value"),
}
"""Operators that are the same on both parts, and their arguments that are numbers: real ones have no second part."""


def is_on_complex(call: Call, arguments: Mapping[str, Bound]) -> bool:
    """Whether a call takes or gives complex numbers."""
    return any(_holds_complex(value) for value in arguments.values()) or any(
        isinstance(info, TensorInfo) and info.dtype.startswith("complex") for info in call.results
    )


def _holds_complex(bound: Bound) -> bool:
    if isinstance(bound, Complex | complex):
        return True
    return isinstance(bound, Sequence) and not isinstance(bound, str) and any(_holds_complex(value) for value in bound)


def importer_on_complex(operator: str, importer: Importer | None) -> Importer | None:
    """Return the importer of a call on complex numbers: `importer` for each part where both are computed alike."""
    if operator in BY_PARTS and importer is not None:
        return lambda node: _by_parts(node, importer)
    return IMPORTERS.get(operator)


def with_real_results(call: Call) -> Call:
    """Return a call that gives one part of each of its results."""
    return call._replace(results=tuple(_real(info) for info in call.results))


def _real(info: Info) -> Info:
    return info._replace(dtype=PARTS.get(info.dtype, info.dtype)) if isinstance(info, TensorInfo) else info


def _by_parts(node: Node, importer: Importer) -> Complex | list[Complex]:
    """The complex results of a call that computes both parts alike."""
    numbers = BY_PARTS[node.operator]
    first, second = (
        importer(
            Node(
                with_real_results(node.call),
                node.builder,
                {name: _part(value, part, is_number=name in numbers) for name, value in node.arguments.items()},
                node.runner,
            )
        )
        for part in range(2)
    )
    if isinstance(first, Sequence) and isinstance(second, Sequence):
        return [_paired(node, *parts) for parts in zip(first, second, strict=True)]
    return _paired(node, first, second)


def _paired(node: Node, first: object, second: object) -> Complex:
    if not isinstance(first, Value) or not isinstance(second, Value):
        raise node.unsupported("its result is no tensor", "compute with real and imaginary parts")
    return Complex(first, second)


def _part(bound: Bound, part: int, *, is_number: bool) -> Bound:
    """The real (0) or the imaginary part (1) of an argument."""
    if isinstance(bound, Complex | complex):
        return bound.imag if part else bound.real
    if isinstance(bound, Sequence) and not isinstance(bound, str):
        return [_part(value, part, is_number=is_number) for value in bound]
    if part == 0 or not is_number:
        return bound
    if isinstance(bound, Value):
        return _zeros(bound)
    return 0


# ----------------------------------------------------------------- Fourier transforms


def _r2c(node: Node) -> Complex:
    """The spectrum of real numbers, of the last axis first."""
    x = node.value("self")
    *others, last = _axes(node, x.rank)
    count = prod(x.shape[axis] for axis in (*others, last))
    y = _transformed(unsqueeze(x, [x.rank]), last, onesided=node.flag("onesided"))
    for axis in others:
        y = _transformed(y, axis)
    return split(_scaled(y, _factor(node, count)))


def _c2c(node: Node) -> Complex:
    """The spectrum of complex numbers, or the numbers of a spectrum."""
    x = _complex(node, "self").joined()
    axes, inverse = _axes(node, x.rank - 1), not node.flag("forward")
    count = prod(x.shape[axis] for axis in axes)
    for axis in axes:
        x = _transformed(x, axis, inverse=inverse)
    return split(_scaled(x, _factor(node, count) * (count if inverse else 1)))


def _c2r(node: Node) -> Value:
    """The real numbers of half a spectrum, of the last axis last."""
    x, size = _complex(node, "self").joined(), node.integer("last_dim_size")
    *others, last = _axes(node, x.rank - 1)
    count = size * prod(x.shape[axis] for axis in others)
    for axis in others:
        x = _transformed(x, axis, inverse=True)
    y = _transformed(x, last, size, inverse=True, onesided=True)
    return _scaled(reshape(y, y.shape[:-1]), _factor(node, count) * count)


def _transformed(
    x: Value, axis: int, size: int | None = None, *, inverse: bool = False, onesided: bool = False
) -> Value:
    """Transform `x`, whose last axis has the parts, along another axis; an inverse divides by the number of elements.

    x[4, 64, 3, 1] along axis 1, one-sided  ->  [4, 33, 3, 2]
    """
    order = [outer for outer in range(x.rank - 1) if outer != axis] + [axis, x.rank - 1]
    rows = transpose(x, order)
    done = fourier(rows, x.shape[axis] if size is None else size, inverse=inverse, onesided=onesided)
    return transpose(done, np.argsort(order).tolist())


def _axes(node: Node, rank: int) -> list[int]:
    """The transformed axes in the order of the call; of the last one half the spectrum is kept."""
    return [node.counted(axis, rank) for axis in node.integers("dim")]


def _factor(node: Node, count: int) -> float:
    kind = node.integer("normalization")
    return 1 / sqrt(count) if kind == _BY_ROOT else 1 / count if kind == _BY_COUNT else 1.0


def _scaled(x: Value, factor: float) -> Value:
    return x if factor == 1 else x * factor


# ----------------------------------------------------------------- arithmetic


def _complex(node: Node, name: str) -> Complex:
    bound = node.arguments.get(name)
    if not isinstance(bound, Complex):
        raise node.unsupported(f"argument {name!r} is real", "make it complex, or compute with real numbers")
    return bound


def _operand(node: Node, name: str, dtype: Number) -> Complex | complex | Value | float:
    """A complex or a real operand in the type of the result."""
    bound = node.arguments.get(name)
    if isinstance(bound, complex):
        return bound
    if isinstance(bound, Complex):
        return bound.cast(dtype)
    operand = node.operand(name)
    return cast(operand, dtype) if isinstance(operand, Value) else float(operand)


def _part_dtype(node: Node) -> Number:
    return Node(with_real_results(node.call), node.builder, {}, node.runner).result_dtype()


def _mul(node: Node) -> Complex:
    dtype = _part_dtype(node)
    a, b = (_operand(node, name, dtype) for name in ("self", "other"))
    return _product(a, b)


def _product(a: Complex | complex | Value | float, b: Complex | complex | Value | float) -> Complex:
    """`(a + bi)(c + di) = ac - bd + (ad + bc)i`, or a real factor times both parts."""
    z, factor = (a, b) if isinstance(a, Complex) else (b, a)
    if isinstance(z, Complex) and isinstance(factor, Complex | complex):
        return Complex(z.real * factor.real - z.imag * factor.imag, z.real * factor.imag + z.imag * factor.real)
    if isinstance(z, complex) and isinstance(factor, Value):
        return Complex(factor * z.real, factor * z.imag)
    assert isinstance(z, Complex)
    assert not isinstance(factor, Complex | complex)
    return Complex(z.real * factor, z.imag * factor)


def _div(node: Node) -> Complex:
    """A quotient, by `x / z = x conj(z) / |z|^2`."""
    dtype = _part_dtype(node)
    a, b = (_operand(node, name, dtype) for name in ("self", "other"))
    if isinstance(b, complex):
        return _product(a, 1 / b)
    if isinstance(b, Complex):
        square = b.real * b.real + b.imag * b.imag
        above = _product(a, Complex(b.real, -b.imag))
        return Complex(above.real / square, above.imag / square)
    assert isinstance(a, Complex)
    return Complex(a.real / b, a.imag / b)


def _abs(node: Node) -> Value:
    z = _complex(node, "self")
    return emit(graph.SqrtOp, z.real * z.real + z.imag * z.imag)


def _angle(node: Node) -> Value:
    z = _complex(node, "self")
    return arc_tangent(z.imag, z.real)


def _conj(node: Node) -> Complex:
    z = _complex(node, "self")
    return Complex(z.real, -z.imag)


def _polar(node: Node) -> Complex:
    length, angle = node.value("abs"), node.value("angle")
    return Complex(length * emit(graph.CosOp, angle), length * emit(graph.SinOp, angle))


def _copied(node: Node) -> Complex | Value:
    """Numbers of another type: the real part of complex ones in real types."""
    bound, dtype = node.arguments.get("self"), _part_dtype(node)
    z = bound if isinstance(bound, Complex) else Complex(node.value("self"), _zeros(node.value("self")))
    info = node.call.results[0]
    return z.cast(dtype) if isinstance(info, TensorInfo) and info.dtype in PARTS else cast(z.real, dtype)


def _zeros(x: Value) -> Value:
    return broadcast_to(x.builder.constant(np.zeros((), x.dtype)), x.shape)


def _of_parts(node: Node) -> Complex:
    return Complex(*_broadcast(node.value("real"), node.value("imag")))


def _broadcast(*values: Value) -> Iterator[Value]:
    shape = np.broadcast_shapes(*(value.shape for value in values))
    return (broadcast_to(value, shape) for value in values)


IMPORTERS: Mapping[str, Importer] = {
    "_conj": _conj,
    "_conj_physical": _conj,
    "_fft_c2c": _c2c,
    "_fft_c2r": _c2r,
    "_fft_r2c": _r2c,
    "_to_copy": _copied,
    "abs": _abs,
    "angle": _angle,
    "complex": _of_parts,
    "conj_physical": _conj,
    "div": _div,
    "imag": lambda node: _complex(node, "self").imag,
    "mul": _mul,
    "polar": _polar,
    "real": lambda node: _complex(node, "self").real,
    "resolve_conj": lambda node: _complex(node, "self"),
    "view_as_complex": lambda node: split(node.value("self")),
    "view_as_real": lambda node: _complex(node, "self").joined(),
}
"""By operator, whatever its overload: calls that take or give complex numbers."""
