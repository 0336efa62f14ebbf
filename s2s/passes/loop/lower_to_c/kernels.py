"""Lower kernels to C functions, operation by operation."""

from collections.abc import Mapping

from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block

from s2s.analysis.memory.buffers import written_by
from s2s.analysis.network.functions import DOC, POOL
from s2s.c_syntax.identifiers import c_identifier, pool_macro
from s2s.dialects import c, loop
from s2s.errors import CompilerBug
from s2s.passes.loop.lower_to_c import arithmetic, callbacks, control, memory
from s2s.passes.loop.lower_to_c.affine import INDEX
from s2s.passes.loop.lower_to_c.builder import Builder, value_type
from s2s.passes.loop.lower_to_c.names import sizes_in
from s2s.passes.loop.lower_to_c.operations import lower_block

FAMILIES = (arithmetic, callbacks, control, memory)
"""The families with operations of other dialects, which register their lowerings when they are imported."""


def lower_kernel(
    func: FuncOp,
    name: str,
    in_place: frozenset[int],
    *,
    restrict_macro: bool = False,
    weights: Mapping[str, str] | None = None,
) -> c.FuncOp:
    """Lower a kernel to the C function `name`. The buffers in `in_place` may alias the first one; no others alias. The
    sizes that are known at run time come last, and then the number of the tile, of a kernel with tiles.

    `weights` are the C names of the weights that the kernel itself may name.
    """
    sizes, has_tiles = sizes_in(func), isinstance(func.body.block.first_op, loop.TileOp)
    types = [*parameter_types(func, in_place), *[INDEX] * (len(sizes) + has_tiles)]
    block = Block(arg_types=types)
    given = dict(zip(sizes, block.args[len(func.args) :], strict=False))
    for size, argument in given.items():
        argument.name_hint = c_identifier(size)
    tile = block.args[-1] if has_tiles else None
    _lower_body(func, block, Builder(block, weights=weights or {}, sizes=given, tile=tile))
    section = section_of(func)
    return c.FuncOp(name, types, body=block, doc=doc_of(func), restrict_macro=restrict_macro, section=section)


def lower_part(func: FuncOp, name: str, in_place: frozenset[int]) -> c.FuncOp:
    """Lower a divided kernel to a static C function over the iterations from its last but one argument to its last;
    sizes that are known at run time come before them."""
    sizes = sizes_in(func)
    types = [*parameter_types(func, in_place), *[INDEX] * len(sizes), INDEX, INDEX]
    block = Block(arg_types=types)
    hints = [*map(c_identifier, sizes), "first", "last"]
    for argument, hint in zip(block.args[len(func.args) :], hints, strict=True):
        argument.name_hint = hint
    given = dict(zip(sizes, block.args[len(func.args) : -2], strict=True))
    _lower_body(func, block, Builder(block, part=(block.args[-2], block.args[-1]), sizes=given))
    section = section_of(func)
    return c.FuncOp(name, types, body=block, doc=doc_of(func), static=True, outline=True, section=section)


def _lower_body(func: FuncOp, block: Block, b: Builder) -> None:
    for old, new in zip(func.args, block.args, strict=False):
        b.bind(old, new)
    lower_block(b, func.body.block)


def section_of(func: FuncOp) -> str | None:
    """Return the macro in front of the function; None if it is where code is by default."""
    pool = func.attributes.get(POOL)
    return pool_macro(pool.data) if isinstance(pool, StringAttr) else None


def doc_of(func: FuncOp) -> str | None:
    """Return the comment above the function."""
    return getattr(func.attributes.get(DOC), "data", None)


def parameter_types(func: FuncOp, in_place: frozenset[int]) -> list[Attribute]:
    """Return pointer types of a kernel's buffers: const if it only reads, restrict unless they may alias the first."""
    shared = in_place | {0} if in_place else frozenset[int]()
    written = written_by(func)
    return [
        _parameter_type(argument.type, const=argument not in written, restrict=number not in shared)
        for number, argument in enumerate(func.args)
    ]


def _parameter_type(type: Attribute, *, const: bool, restrict: bool) -> Attribute:
    """Return a pointer to elements of a buffer."""
    pointer = value_type(type)
    if not isinstance(pointer, c.PtrType):
        raise CompilerBug(f"a kernel takes {type}, which is not a buffer")
    return c.PtrType(pointer.element, const=const, restrict=restrict)
