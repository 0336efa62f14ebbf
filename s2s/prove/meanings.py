"""Functions of the runtime that the prover takes by their meaning, because their C looks at bits or addresses.

Each is taken only where the tree defines it as it was when `tests/prove/test_meanings.py` compared it with the meaning:
`DEFINITIONS` holds a digest of its portable form.
"""

from __future__ import annotations

from hashlib import blake2b
from importlib import import_module
from typing import Any

from pycparser import c_ast

from s2s.prove.ctypes import F32, U32
from s2s.prove.faults import Unprovable

ALIGNED = "s2s_is_aligned"
"""The function of the runtime that looks at an address as a number."""
MEANINGS = {"s2s_u32_leading_zeros": "clz"}
"""Functions that are taken by their meaning where their operand depends on the input, and executed where not."""
BITS = {"s2s_f32_bits": ("bits", F32, U32), "s2s_f32_of_bits": ("of bits", U32, F32)}
"""Functions that take the bits of a float as a number, and the other way round."""
DEFINITIONS = {
    "s2s_f32_bits": "95fd2d251a1f34e1524b2ab8",
    "s2s_f32_of_bits": "96d6ebfb6a4cb7b57a010a6f",
    "s2s_group": "3a8575ccfd27a45c5bc26a6d",
    "s2s_is_aligned": "a438ab5617b58a0872ff1319",
    "s2s_pair": "dab5ecc2b8b3a462fd1e8cfd",
    "s2s_u32_leading_zeros": "177d31c68357c9964534e1aa",
}
"""Digests of the portable forms."""


def digest_of(function: c_ast.FuncDef) -> str:
    """A digest of a function's C without its layout."""
    generator: Any = import_module("pycparser.c_generator").CGenerator()
    text: str = generator.visit(function)
    return blake2b(text.encode(), digest_size=12).hexdigest()


def check_definition(functions: dict[str, c_ast.FuncDef], name: str) -> None:
    """Raise Unprovable where a tree defines a function otherwise than its meaning was compared with."""
    if name not in functions or digest_of(functions[name]) != DEFINITIONS.get(name):
        msg = f"{name} has another definition in the tree than the one that its meaning was tested with"
        raise Unprovable(msg)
