"""Packed numbers come apart again, and functions of numbers beside forms are taken at these numbers."""

import numpy as np
import pytest

from s2s.prove.arithmetic import Arithmetic
from s2s.prove.atoms import Atoms
from s2s.prove.ctypes import I8, I16, I32, U8, U32
from s2s.prove.faults import Unprovable
from s2s.prove.functions import Expression, X
from s2s.prove.values import Form, Lanes, Packed, Value, as_form, as_function


@pytest.fixture
def arithmetic() -> Arithmetic:
    return Arithmetic(Atoms(), Lanes())


def inputs(arithmetic: Arithmetic, count: int) -> list[Form]:
    """Unknown numbers of eight bits."""
    ids = arithmetic.atoms.inputs("x", count, I8.least, I8.most)
    return [arithmetic.of_atoms(np.array([number])) for number in ids]


def atom_of(value: Value) -> tuple[int, int]:
    """The atom and the constant of a form that is one atom."""
    assert isinstance(value, Form)
    ((ids, factors),) = value.groups
    assert factors.reshape(-1).tolist() == [1]
    return int(ids.reshape(-1)[0]), int(np.asarray(value.constant).reshape(-1)[0])


def test_both_of_a_pair_come_out(arithmetic: Arithmetic) -> None:
    a, b = inputs(arithmetic, 2)
    pair = arithmetic.packed([a, b], I16)
    low = arithmetic.binary(">>", arithmetic.convert(arithmetic.binary("<<", pair, 16, U32), U32, I32), 16, I32)
    assert atom_of(low) == atom_of(a)
    assert atom_of(arithmetic.binary(">>", pair, 16, I32)) == atom_of(b)


@pytest.mark.parametrize("place", range(4))
def test_each_byte_of_a_group_comes_out(place: int, arithmetic: Arithmetic) -> None:
    numbers = inputs(arithmetic, 4)
    group = arithmetic.packed([arithmetic.convert(number, I8, U8) for number in numbers], U8)
    moved = arithmetic.binary("<<", group, 24 - 8 * place, U32)
    assert atom_of(arithmetic.binary(">>", arithmetic.convert(moved, U32, I32), 24, I32)) == atom_of(numbers[place])


def test_shifted_bytes_are_packed(arithmetic: Arithmetic) -> None:
    a, b = (arithmetic.convert(number, I8, U8) for number in inputs(arithmetic, 2))
    joined = arithmetic.binary("|", a, arithmetic.binary("<<", b, 8, U32), U32)
    assert isinstance(joined, Packed)
    assert joined.numbers[2:] == (0, 0)


@pytest.mark.parametrize(("op", "operand"), [("+", 1), ("<<", 3), ("&", 15), (">>", 4)])
def test_packed_numbers_are_no_operands_of_others(op: str, operand: int, arithmetic: Arithmetic) -> None:
    with pytest.raises(Unprovable, match="packed number"):
        arithmetic.binary(op, arithmetic.packed(inputs(arithmetic, 2), I16), operand, U32)


@pytest.mark.parametrize(("a", "b"), [(4294967168, 4294967290), (3, 4294967295), (65537, 65537)])
def test_products_of_32_unsigned_bits_wrap(a: int, b: int, arithmetic: Arithmetic) -> None:
    assert arithmetic.binary("*", np.array([a, 1]), np.array([b, 1]), U32).tolist() == [a * b % 2**32, 1]  # type: ignore[union-attr]


def test_a_function_of_a_number_beside_forms_is_taken_at_it() -> None:
    lanes = Lanes([("loop", 2)])
    arithmetic = Arithmetic(Atoms(), lanes)
    (atom,) = arithmetic.atoms.inputs("x", 1, I8.least, I8.most)
    mixed = arithmetic.of_atoms(np.array([atom, 0]), constants=np.array([0, -128]))
    cast = as_function(mixed)
    shown = arithmetic.interned(type(cast)(mixed, Expression("+", (X, Expression("const", value=5)), I32), -123, 132))
    assert np.asarray(as_form(shown).constant).reshape(-1).tolist() == [5, -123]
