"""Buffers: the memory of tensors, as calls of functions name it; and calls themselves."""

from collections.abc import Sequence
from typing import Any, cast

from s2s.c_syntax.reserved import is_function_name
from s2s.errors import InputError, UnsupportedError
from s2s.support.frozen import frozen
from s2s.tvm.te.expressions import Expr, Size
from s2s.tvm.te.intrinsics import OF_C, Intrinsic


@frozen(eq=False)
class Buffer:
    """The memory of a tensor, or of a block of it, which a call names as an argument."""

    name: str
    shape: tuple[Size, ...]
    dtype: str
    strides: tuple[Size, ...] = ()
    """The distances of neighbours along each dimension; a variable takes the tensor's own one. Without them, the
    elements lie without gaps."""
    offset_factor: int = 1
    """What the position of its first element in the tensor is a multiple of."""

    @property
    def data(self) -> "Buffer":
        """The first element; a function of C takes a pointer to it."""
        return self

    def access_ptr(
        self, access_mask: str, ptr_type: str = "handle", content_lanes: int = 1, offset: int = 0
    ) -> "Buffer | Pointer":
        """A pointer to the first element, which is read (`r`), written (`w`), or both."""
        if set(access_mask) - {"r", "w"} or not access_mask:
            raise InputError(f"{self.name}.access_ptr: {access_mask!r} is no access; give r, w or rw")
        if (ptr_type, content_lanes, offset) != ("handle", 1, 0):
            raise UnsupportedError(f"{self.name}.access_ptr: points to the first element; leave other arguments out")
        return Pointer(self, access_mask)

    def vload(self, *_: object) -> Expr:
        """Refused: elements are read by formulas."""
        raise UnsupportedError(f"{self.name}.vload: elements are read by formulas; call a function of C on the buffer")

    def vstore(self, *_: object) -> None:
        """Refused: elements are written by formulas."""
        raise UnsupportedError(f"{self.name}.vstore: elements are written by formulas; call a function of C on it")


@frozen(eq=False)
class Pointer:
    """A pointer to the first element of a buffer, and what the function does there."""

    buffer: Buffer
    access_mask: str


@frozen
class Call:
    """A call of a function of C or of a packed function, which `call_extern` and `call_packed` describe."""

    function: str
    arguments: tuple[object, ...]
    packed: bool
    source: str | None


class Calls(tuple[Call, ...]):
    """Calls one after the other."""

    __slots__ = ()


class IRBuilder:
    """A list of calls that is made call by call."""

    def __init__(self) -> None:
        self._calls: list[Call] = []

    def emit(self, stmt: object) -> None:
        """Add a call."""
        self._calls += calls_of(stmt)

    def get(self) -> Calls:
        """The calls."""
        return Calls(self._calls)

    def __getattr__(self, name: str) -> object:
        raise UnsupportedError(f"ir_builder.{name}: bodies are calls of functions; emit call_extern or call_packed")


def create() -> IRBuilder:
    """A builder without calls."""
    return IRBuilder()


def calls_of(body: object) -> Calls:
    """The calls that a body consists of."""
    if isinstance(body, Call):
        return Calls([body])
    if not isinstance(body, Calls) or not body:
        raise UnsupportedError(f"{body!r}: bodies are calls of functions; give tir.call_extern(…) or call_packed(…)")
    return body


def decl_buffer(
    shape: Size | Sequence[Size],
    dtype: str | None = None,
    name: str = "buffer",
    data: None = None,
    strides: Sequence[Size] | None = None,
    elem_offset: Expr | None = None,
    scope: str = "",
    data_alignment: int = -1,
    offset_factor: int = 0,
    buffer_type: str = "",
) -> Buffer:
    """The memory of a block, for `decl_tensor_intrin(binds=…)`, which refuses tensors that do not fit it.

    `elem_offset`, which TVM has as a variable, is part of the pointer.
    """
    others = {"data": data, "scope": scope not in ("", "global"), "buffer_type": buffer_type}
    if (refused := next((key for key, value in others.items() if value), None)) is not None:
        raise UnsupportedError(f"decl_buffer {name}: {refused} is not offered; leave it out")
    if data_alignment not in (-1, 1):
        raise UnsupportedError(f"decl_buffer {name}: blocks begin at any element; leave data_alignment out")
    sizes = tuple(shape) if isinstance(shape, Sequence) else (shape,)
    distances = tuple(strides or ())
    if distances and len(distances) != len(sizes):
        raise InputError(f"decl_buffer {name}: {len(distances)} strides for {len(sizes)} dimensions; give one for each")
    return Buffer(name, sizes, dtype or "float32", distances, max(offset_factor, 1))


def call_packed(name: str, *args: object, source: str | None = None) -> Call:
    """A call of a packed function on tensors, first the ones that it reads, then the ones that it writes, and on
    numbers.

    It is the function that `register_func` has registered; in firmware one of the C registry or linked C, which
    `source` may define.
    """
    return Call(name, args, packed=True, source=source)


def call_extern(dtype: str, func_name: str, *args: object, source: str | None = None) -> Any:
    """A call of a C function on pointers to elements: first written ones, then read ones; in `decl_tensor_intrin` in
    any order, and on numbers.

    `source` is C that defines it; without it, the project that the C goes into supplies it. What the function returns
    is left alone, so `dtype` changes nothing; a function of C's mathematics is an expression, as `call_pure_extern`.
    """
    if func_name in OF_C and source is None:
        return Intrinsic(dtype, func_name, cast("Sequence[Expr]", args), is_extern=True)
    if not is_function_name(func_name):
        raise InputError(f"te.call_extern: {func_name!r} is no name of a C function; give an identifier")
    return Call(func_name, args, packed=False, source=source)
