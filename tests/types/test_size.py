"""Sizes compute what plain integers compute, at every size, or leave a guard that says where they do not."""

import operator
from collections.abc import Callable, Mapping
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from s2s.frontends.onnx.slicing import part_of
from s2s.types.size import Ledger, Size, alike, greatest, proves
from s2s.types.sizes import SizeRange

N, M = SizeRange(1, 40), SizeRange(4, 32, step=4)
OPERATIONS: Mapping[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": lambda a, b: a // b,
    "%": operator.mod,
}
RELATIONS = (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne)


def ledger() -> tuple[Ledger, int, int]:
    made = Ledger()
    return made, made.size("N", N), made.size("M", M)


def at(value: int, n: int, m: int) -> int:
    """A size in a run."""
    return value.expr.eval([n, m], []) if isinstance(value, Size) else value


FORMULAS = st.lists(
    st.tuples(st.sampled_from([*OPERATIONS, "N", "M", "-N"]), st.integers(1, 9)), min_size=1, max_size=6
)


def computed(steps: list[tuple[str, int]], n: int, m: int) -> int:
    value = n
    for kind, number in steps:
        match kind:
            case "N":
                value = value + n
            case "-N":
                value = number - value
            case "M":
                value = value * m if abs(int(at(value, N.most, M.most))) < 2**20 else value + m
            case _:
                value = OPERATIONS[kind](value, number)
    return value


@given(FORMULAS, st.sampled_from(N.values), st.sampled_from(M.values))
def test_arithmetic_is_exact_at_every_size(steps: list[tuple[str, int]], n: int, m: int):
    _, size_n, size_m = ledger()
    assert at(computed(steps, size_n, size_m), n, m) == _plain(_chosen(steps), n, m)


def _chosen(steps: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """The steps with the choice that the greatest sizes make."""
    chosen: list[tuple[str, int]] = []
    for kind, number in steps:
        before = _plain(chosen, N.most, M.most)
        chosen.append(("*M" if abs(before) < 2**20 else "+M", number) if kind == "M" else (kind, number))
    return chosen


def _plain(steps: list[tuple[str, int]], n: int, m: int) -> int:
    value = n
    for kind, number in steps:
        match kind:
            case "N":
                value = value + n
            case "-N":
                value = number - value
            case "*M":
                value = value * m
            case "+M":
                value = value + m
            case _:
                value = OPERATIONS[kind](value, number)
    return value


@given(FORMULAS, st.integers(-50, 50), st.sampled_from(RELATIONS))
def test_an_answer_that_depends_on_the_size_leaves_a_guard(
    steps: list[tuple[str, int]], number: int, relation: Callable[[int, int], bool]
):
    made, size_n, size_m = ledger()
    value = computed(steps, size_n, size_m)
    before = len(made.guards)
    answer = relation(value, number)
    answers = {relation(at(value, n, m), number) for n in N.values for m in M.values}
    assert answer == relation(at(value, N.most, M.most), number)
    assert (len(answers) > 1) == (len(made.guards) > before)


TAKEN: list[Callable[[int], object]] = [
    int,
    float,
    range,
    np.float32,
    lambda n: [0] * n,
    lambda n: np.zeros(n),
    lambda n: np.arange(n),
]


@pytest.mark.parametrize("take", TAKEN)
def test_a_plain_number_of_a_size_is_a_guard(take: Callable[[int], object]):
    made, n, _ = ledger()
    take(n)
    assert [(guard.relation, guard.answer) for guard in made.guards] == [("==", True)]


def test_a_plain_number_of_two_is_a_guard_though_one_is_the_only_other_size():
    made = Ledger()
    int(made.size("N", SizeRange(1, 2)))
    assert made.guards


def test_arrays_of_objects_keep_sizes():
    made, n, m = ledger()
    array = np.array([n, 4, m])
    assert array.dtype == object
    assert proves(prod(array), "==", 4 * n * m)
    assert proves(np.cumsum(array).tolist()[1], "==", n + 4)
    assert not made.guards


FORMS: list[tuple[Callable[[int, int], int], str]] = [
    (lambda n, m: ((n + 1) // 2 + 1) // 2, "(N + 3) floordiv 4"),
    (lambda n, m: n + -n % 16, "((N + 15) floordiv 16) * 16"),
    (lambda n, m: 4 * n * m // m, "N * 4"),
    (lambda n, m: 2 * (n - 1) * (n - 1) // (n - 1), "N * 2 - 2"),
    (lambda n, m: n // 2 * 2 + n % 2, "N"),
]


@pytest.mark.parametrize(("formula", "text"), FORMS)
def test_equal_expressions_have_one_form(formula: Callable[[int, int], int], text: str):
    _, n, m = ledger()
    value = formula(n, m)
    assert isinstance(value, Size)
    assert value.text == text


@given(
    st.integers(-50, 50) | st.sampled_from([-(2**63), 2**63 - 1]),
    st.integers(-50, 50) | st.sampled_from([-(2**63), 2**63 - 1]),
    st.sampled_from([-3, -1, 1, 2, 5]),
)
def test_parts_have_as_many_elements_at_every_size_at_which_no_guard_fails(start: int, end: int, step: int):
    made, n, _ = ledger()
    first, count = part_of(n, start, end, step)
    wrong = {sizes["N"] for guard in made.guards for sizes in made.failing(guard)}
    for size in set(N.values) - wrong:
        chosen = range(size)[slice(start, None if step < 0 and end < -size else end, step)]
        assert at(count, size, 4) == len(chosen)
        assert not len(chosen) or at(first, size, 4) == chosen.start


def test_shapes_are_alike_where_they_are_equal_at_all_sizes():
    made, n, _ = ledger()
    assert alike((n, 4), (n + 0, 4))
    assert not alike((n, 4), (40, 4))
    assert greatest([n, 4]) == [40, 4]
    assert not made.guards


REALS: list[Callable[[float, float], object]] = [
    *RELATIONS,
    operator.add,
    operator.sub,
    operator.mul,
    lambda a, b: a / b,
    lambda a, b: a // b,
    lambda a, b: a % b,
]


@pytest.mark.parametrize("operation", REALS)
@pytest.mark.parametrize("real", [0.5, 12.0, np.float32(2.5), np.float64(40.0)])
def test_a_real_number_beside_a_size_meets_its_plain_number(operation: Callable[[float, float], object], real: float):
    for swapped in (False, True):
        made, n, _ = ledger()
        plain = operation(real, N.most) if swapped else operation(N.most, real)
        assert (operation(real, n) if swapped else operation(n, real)) == pytest.approx(plain)
        assert [(guard.relation, guard.answer) for guard in made.guards] == [("==", True)]


def test_arrays_of_reals_are_clipped_by_a_size():
    made, n, _ = ledger()
    np.testing.assert_array_equal(np.clip(np.array([-1.5, 3.5, 99.0]), 0, n - 1), [0, 3.5, N.most - 1])
    assert made.guards
