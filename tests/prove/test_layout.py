"""Members of structures and unions lie where a C compiler puts them."""

import ctypes
from typing import Any

import pytest

from s2s.prove.ctypes import F32, I8, I16, I32, U8, U64, IntType
from s2s.prove.declarations import ArrayType, StructType, alignment_of, size_of

NATIVE: dict[IntType, Any] = {
    U8: ctypes.c_uint8,
    I8: ctypes.c_int8,
    I16: ctypes.c_int16,
    I32: ctypes.c_int32,
    U64: ctypes.c_uint64,
    F32: ctypes.c_float,
}
MEMBERS = [
    [(U8, 240), (I8, 240)],
    [(U8, 241), (I16, 3)],
    [(I8, 1), (I32, 2), (I8, 1)],
    [(U64, 1), (I8, 3)],
    [(F32, 3), (I8, 1), (I16, 1), (U64, 2)],
]


@pytest.mark.parametrize(
    "members", MEMBERS, ids=lambda members: "_".join(f"{kind.bits}x{count}" for kind, count in members)
)
@pytest.mark.parametrize("is_union", [False, True], ids=["struct", "union"])
def test_members_lie_where_the_compiler_of_this_machine_puts_them(members: list[tuple[IntType, int]], is_union: bool):
    fields = [(f"m{at}", NATIVE[kind] * count) for at, (kind, count) in enumerate(members)]
    native: Any = type("Native", (ctypes.Union if is_union else ctypes.Structure,), {"_fields_": fields})
    ours = StructType(tuple((f"m{at}", ArrayType(*member)) for at, member in enumerate(members)), is_union)
    assert [ours.place(name)[0] for name, _ in fields] == [getattr(native, name).offset for name, _ in fields]
    assert (size_of(ours), alignment_of(ours)) == (ctypes.sizeof(native), ctypes.alignment(native))
