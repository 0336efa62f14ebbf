"""The difference between two schedules of a task in words."""

import pytest

from s2s.compilation import Compilation
from s2s.options import CompileOptions
from s2s.tuning.changes import changes_between
from s2s.tuning.space import Space
from s2s.tuning.task import tasks_of
from support.onnx_text import onnx_file

PRODUCT = """(float[8, 16] x) => (float[8, 12] y) <float[16, 12] w = {WEIGHTS}> { y = MatMul (x, w) }"""
WEIGHTS = ", ".join(f"{number * 37 % 101 / 100:.2f}" for number in range(192))


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory) -> Space:
    model = onnx_file(
        PRODUCT.replace("WEIGHTS", WEIGHTS),
        tmp_path_factory.mktemp("changes"),
    )
    (task,) = tasks_of(Compilation(model, CompileOptions(target="cortex-m4")))
    return Space(task)


def schedule(*directives: str) -> str:
    return f"#tensor.schedule<[{', '.join(directives)}]>"


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (("tile<1 by 4>",), ("tile<1 by 4>",), ()),
        (("tile<1 by 4>",), ("tile<1 by 4, 0 by 2>",), ("tile m 1 -> 2",)),
        ((), ("unroll<2 by 4>",), ("unroll k 1 -> 4",)),
        ((), ("reorder<[1, 0, 2]>",), ("order m, n, k -> n, m, k",)),
        (("tile<1 by 2>",), ("tile<1 by 4 by 2>",), ("blocks none -> n by 4",)),
        (("rfactor<2 by 4>",), (), ("partial sums 4 along k -> none",)),
    ],
)
def test_what_differs_is_told(
    space: Space, before: tuple[str, ...], after: tuple[str, ...], told: tuple[str, ...]
) -> None:
    assert changes_between(space, schedule(*before), schedule(*after)) == told
