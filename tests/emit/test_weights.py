"""Constant arrays in a tree: literals or bytes, equal to the last bit, never more in memory than a piece."""

import subprocess
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import f32, i8

from s2s.c_syntax.types import element_name
from s2s.emit.constants_view import need_math
from s2s.emit.stream import pieces
from s2s.emit.weights import ConstantArray, binary_file, c_arrays, place
from s2s.types.dtypes import ELEMENT_TYPES, Array, to_numpy, ui8


def constant(values: Array, element: Any = f32, name: str = "w") -> ConstantArray:
    return ConstantArray(name, element, values, name)


def content(file: Any) -> bytes:
    return b"".join(pieces(file))


def test_arrays_begin_at_multiples_of_the_alignment() -> None:
    arrays = [constant(np.zeros(3, np.int8), i8, "a"), constant(np.zeros(5, np.float32), name="b")]
    assert [(entry.array.identifier, entry.offset) for entry in place(arrays, 16)] == [("a", 0), ("b", 16)]


def test_a_binary_file_holds_every_array_at_its_place() -> None:
    arrays = [constant(np.arange(3, dtype=np.int8), i8, "a"), constant(np.arange(5, dtype=np.float32), name="b")]
    data = content(binary_file(place(arrays, 16)))
    assert data == b"\x00\x01\x02" + bytes(13) + np.arange(5, dtype="<f4").tobytes()


@pytest.mark.parametrize(
    "values",
    [
        np.arange(200_000, dtype=np.float32).reshape(400, 500),
        np.arange(200_000, dtype=np.float32).reshape(400, 500).T,
        np.broadcast_to(np.float32(0.1), (300, 400)),
        np.broadcast_to(np.arange(400, dtype=np.float32), (300, 400)),
        np.zeros((0, 4), np.float32),
    ],
    ids=["contiguous", "transposed", "one value", "broadcast row", "empty"],
)
def test_pieces_are_the_array_in_row_major_order(values: Array) -> None:
    found = np.concatenate([*constant(values).pieces(), np.zeros(0, np.float32)])
    np.testing.assert_array_equal(found, values.reshape(-1))


def test_a_large_splat_is_written_without_being_held() -> None:
    splat = constant(np.broadcast_to(np.float32(0.01), (8000, 8000)))
    tracemalloc.start()
    size = sum(len(piece) for piece in pieces(binary_file(place([splat], 64))))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert size == splat.size == 256_000_000
    assert peak < 4_000_000


def test_literals_fill_lines_of_readable_length(tmp_path: Path) -> None:
    arrays = [constant(np.linspace(-1, 1, 1000, dtype=np.float32))]
    lines = content(c_arrays(b"", arrays, 4)).decode().splitlines()
    assert lines[1] == "S2S_WEIGHTS_SECTION S2S_ALIGNED(4) const float w[1000] = {"
    assert max(map(len, lines)) <= 110
    assert len(lines) < 180


def test_both_forms_give_the_same_bytes(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    arrays: list[ConstantArray] = []
    for element in ELEMENT_TYPES:
        dtype = to_numpy(element)
        raw = generator.integers(0, 256, 300 * dtype.itemsize, np.uint8)
        values = (raw[:300] & 1).view(np.bool_) if dtype == np.bool_ else raw.view(dtype)
        if dtype.kind in "fV":
            values = np.nan_to_num(values.astype(np.float64)).astype(dtype)
        arrays.append(constant(values, element, f"all_{element_name(element)}"))
    headers = ('"s2s.h"', '"s2s_half.h"', "<math.h>", "<stdio.h>")
    prologue = "#define S2S_WEIGHTS_SECTION static\n" + "".join(f"#include {header}\n" for header in headers)
    writes = "".join(f"    fwrite({each.identifier}, 1, sizeof {each.identifier}, stdout);\n" for each in arrays)
    program = (
        content(c_arrays(prologue.encode(), arrays, 4)) + f"int main(void)\n{{\n{writes}    return 0;\n}}\n".encode()
    )
    (tmp_path / "unit.c").write_bytes(program)
    include = f"-I{Path(__file__).parents[2] / 'runtime_c' / 'include'}"
    subprocess.run(["gcc", "-std=c99", "-Wall", "-Werror", include, "unit.c", "-o", "unit"], cwd=tmp_path, check=True)
    literals = subprocess.run([tmp_path / "unit"], capture_output=True, check=True).stdout
    assert literals == content(binary_file(place(arrays, 1)))


def test_an_unsigned_byte_is_a_plain_number() -> None:
    assert b"{\n    0, 255,\n}" in content(c_arrays(b"", [constant(np.array([0, 255], np.uint8), ui8)], 4))


@pytest.mark.parametrize(
    ("values", "needed"),
    [
        (np.array([1, 2], np.int8), False),
        (np.array([1.5, -2.0], np.float32), False),
        (np.array([1.5, np.inf], np.float32), True),
        (np.array([np.nan], np.float64), True),
    ],
)
def test_math_is_included_where_a_literal_is_no_number(values: Array, needed: bool) -> None:
    assert need_math([constant(np.array([1.0], np.float32)), constant(values)]) == needed
