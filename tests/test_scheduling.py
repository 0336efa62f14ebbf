"""Tests that share a network or a fixture have one scope; all others have one of their own."""

import pytest

from support.scheduling import scope_of

TREES = "tests/end_to_end/test_trees.py"


@pytest.mark.parametrize(
    ("test", "scope"),
    [
        (f"{TREES}::test_every_file_compiles_without_a_warning[pools-c-gcc]", "network pools"),
        (f"{TREES}::test_sanitizers_find_nothing[pools-c-aot]", "network pools"),
        ("tests/end_to_end/test_operators.py::test_operators_compute_what_they_mean[pools-c]", "network pools"),
        ("tests/tvm/relay/test_operators.py::test_one[pools]", "tests/tvm/relay/test_operators.py::test_one[pools]"),
        ("tests/end_to_end/test_fallbacks.py::test_one[integers-c]", "tests/end_to_end/test_fallbacks.py[integers]"),
        (f"{TREES}::test_ctest_passes", f"{TREES}::test_ctest_passes"),
        ("tests/test_packaging.py::test_sdist", "tests/test_packaging.py"),
        ("tests/docs/test_varying_axes.py::test_one[Pad-2]", "tests/docs/test_varying_axes.py"),
        (
            "tests/frontends/torch/test_varying_axes.py::test_one[cell]",
            "tests/frontends/torch/test_varying_axes.py::test_one[cell]",
        ),
        ("tests/emit/test_tree.py::test_one[aot-gcc]", "tests/emit/test_tree.py::test_one[aot-gcc]"),
    ],
)
def test_scope(test: str, scope: str):
    assert scope_of(test) == scope
