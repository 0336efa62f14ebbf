"""A call of the run function on inputs of zeros, for the examples of packages: C that is C++ as well."""

from s2s.c_syntax.identifiers import sizes_type
from s2s.packagings.description import TreeDescription

WORD = 8
"""Bytes of an element of the arrays that inputs and outputs lie in; no element type has a larger alignment."""


def declarations(tree: TreeDescription, *, changes_sizes: bool = False) -> list[str]:
    """Memory for arena, sizes, inputs and outputs."""
    arena = f"S2S_ARENA(arena, {tree.macro}_ARENA_SIZE, {tree.macro}_ARENA_ALIGN);"
    ports = [*tree.inputs, *tree.outputs]
    return [
        f"static {tree.arena_type} arena;" if tree.arena_type else arena,
        *_sizes(tree, changes=changes_sizes),
        *(f"static uint64_t memory_{port.identifier}[{-(-port.size // WORD)}];" for port in ports),
    ]


def _sizes(tree: TreeDescription, *, changes: bool) -> list[str]:
    """The greatest sizes of a run, if sizes vary; a run writes the sizes that it computes, and the program the others
    if it `changes` them."""
    if not tree.sizes:
        return []
    kind = "" if changes or any(size.is_computed for size in tree.sizes) else "const "
    most = ", ".join(str(size.most) for size in tree.sizes)
    return [f"static {kind}{sizes_type(tree.name)} sizes = {{{most}}};"]


def arena_argument(tree: TreeDescription) -> str:
    """The arena as functions of the network take it."""
    return "&arena" if tree.arena_type else "arena"


def run_call(tree: TreeDescription) -> str:
    """The call of the run function."""
    types = {"float32": "float", "float64": "double", "float16": "uint16_t", "bfloat16": "uint16_t", "bool": "bool"}
    ports = [
        f"({types.get(port.dtype, f'{port.dtype}_t')} *)(void *)memory_{port.identifier}"
        for port in (*tree.inputs, *tree.outputs)
    ]
    pool = ["NULL"] if tree.threads else []
    sizes = ["&sizes"] if tree.sizes else []
    return f"{tree.name}_run({', '.join([arena_argument(tree), *pool, *sizes, *ports])})"


def call(tree: TreeDescription) -> list[str]:
    """Statements that run the network once and leave `status`."""
    start = [f"(void){tree.name}_reset({arena_argument(tree)});"] if tree.keeps_state else []
    return [*start, f"const s2s_status status = {run_call(tree)};"]
