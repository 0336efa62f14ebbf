"""Where MLIR leaves a result open, the interpreters say what `s2s_math.h` does."""

import ctypes
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import IntegerType, f32, f64
from xdsl.ir import Attribute, Operation
from xdsl.utils.test_value import create_ssa_value

from s2s.interpret.scalar import dtype_of, function_of
from s2s.types.dtypes import Array
from support.c_compilers import require, run
from support.project import PACKAGES

WIDTHS = (8, 16, 32, 64)
BINARY: dict[str, type[Operation]] = {
    "i{}_add": arith.AddiOp,
    "i{}_sub": arith.SubiOp,
    "i{}_mul": arith.MuliOp,
    "i{}_div": arith.DivSIOp,
    "i{}_rem": arith.RemSIOp,
    "i{}_pow": math.IPowIOp,
    "i{}_shift_left": arith.ShLIOp,
    "i{}_shift_right": arith.ShRSIOp,
    "u{}_div": arith.DivUIOp,
    "u{}_rem": arith.RemUIOp,
    "u{}_shift_right": arith.ShRUIOp,
}
CASTS: dict[str, tuple[type[Operation], Attribute]] = {
    "f32_to_i{}": (arith.FPToSIOp, f32),
    "f32_to_u{}": (arith.FPToUIOp, f32),
    "f64_to_i{}": (arith.FPToSIOp, f64),
    "f64_to_u{}": (arith.FPToUIOp, f64),
}
C_TYPES = {"f32": "float", "f64": "double"}


def c_type(name: str) -> str:
    """The C type that a name of the runtime speaks of: `i8` is `int8_t`."""
    return C_TYPES.get(name) or f"{'u' if name[0] == 'u' else ''}int{name[1:]}_t"


def wrapper(name: str) -> str:
    """A C function that applies `s2s_<name>` to arrays."""
    words = name.split("_")
    given, made = (words[0], words[2]) if words[1] == "to" else (words[0], words[0])
    operands = ["a"] if words[1] == "to" else ["a", "b"]
    parameters = "".join(f"const {c_type(given)} *{operand}, " for operand in operands)
    call = f"s2s_{name}({', '.join(f'{operand}[i]' for operand in operands)})"
    return f"void all_{name}({parameters}{c_type(made)} *y, int n) {{ for (int i = 0; i < n; i++) y[i] = {call}; }}\n"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """The functions of the runtime, compiled for this machine."""
    folder: Path = tmp_path_factory.mktemp("scalar")
    names = [pattern.format(bits) for pattern in (*BINARY, *CASTS) for bits in WIDTHS]
    (folder / "all.c").write_text('#include "s2s_math.h"\n' + "".join(map(wrapper, names)))
    include = PACKAGES["s2s.runtime_c"] / "include"
    flags: list[str | Path] = ["-std=c99", "-O2", "-shared", "-fPIC", "-I", include]
    run([require("gcc"), *flags, "all.c", "-o", "all.so", "-lm"], folder)
    return ctypes.CDLL(str(folder / "all.so"))


def in_c(library: ctypes.CDLL, name: str, operands: list[Array], result: np.dtype[Any]) -> Array:
    """What the runtime makes of `operands`."""
    found = np.empty(operands[0].shape, result)
    arrays = [ctypes.c_void_p(array.ctypes.data) for array in (*operands, found)]
    function: Callable[..., None] = library[f"all_{name}"]
    function(*arrays, ctypes.c_int(found.size))
    return found


def edges(dtype: np.dtype[Any]) -> Array:
    """Integers where something changes, and a few at random."""
    limits = np.iinfo(dtype)
    near = [*range(-9, 10), 31, 32, 63, 64, limits.min, limits.min + 1, limits.max - 1, limits.max]
    random = np.random.default_rng(0).integers(limits.min, limits.max, 16, dtype)
    return np.concatenate([np.array([x for x in near if limits.min <= x <= limits.max], dtype), random])


@pytest.mark.sample(15)
@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("name", BINARY)
def test_integers(library: ctypes.CDLL, name: str, bits: int):
    type = IntegerType(bits)
    pairs = np.array(list(product(edges(dtype_of(type)), repeat=2)), dtype_of(type))
    a, b = np.asarray(pairs[:, 0], order="C"), np.asarray(pairs[:, 1], order="C")
    op = BINARY[name].create(operands=[create_ssa_value(type), create_ssa_value(type)], result_types=[type])
    with np.errstate(all="ignore"):
        found = function_of(op)(a, b)
    np.testing.assert_array_equal(found, in_c(library, name.format(bits), [a, b], dtype_of(type)))


@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("name", CASTS)
def test_floats_to_integers(library: ctypes.CDLL, name: str, bits: int):
    kind, given = CASTS[name]
    dtype, type = dtype_of(given), IntegerType(bits)
    powers = [sign * 2.0**p for p in (-1, 0, 6, 7, 8, 15, 16, 31, 32, 62, 63, 64, 100) for sign in (1, -1)]
    centre = np.array([0.0, *powers], dtype)
    x = np.concatenate([centre, np.nextafter(centre, dtype.type(np.inf)), np.nextafter(centre, dtype.type(-np.inf))])
    x = np.concatenate([x, np.array([np.nan, np.inf, -np.inf, -0.0, 1.5, -1.5, 127.9, 254.9], dtype)])
    op = kind.create(operands=[create_ssa_value(given)], result_types=[type])
    with np.errstate(all="ignore"):
        found = function_of(op)(x)
    np.testing.assert_array_equal(found, in_c(library, name.format(bits), [x], dtype_of(type)))
