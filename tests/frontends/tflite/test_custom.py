"""Operators that TFLite does not know: by importers in Python, and as calls of C functions."""

from pathlib import Path

import numpy as np
import pytest

from s2s import api
from s2s.errors import InputError
from s2s.frontends import custom
from s2s.frontends.builder import Value
from s2s.frontends.custom import CFunction, register_custom_op
from s2s.frontends.tflite import import_model
from s2s.frontends.tflite.node import Node
from s2s.frontends.tflite.writer import GraphSpec, OperatorSpec, TensorSpec, model
from s2s.tvm.runtime import register_func, remove_global_func
from support.tflite_checks import run_imported

MIX = """
void my_mix(int8_t *y0, int8_t *y1, const int8_t *x0, const int8_t *x1, const uint8_t *x2)
{
    for (int i = 0; i < 6; i++) {
        y0[i] = (int8_t)(x0[i] + x1[i]);
        y1[i] = (int8_t)(x0[i] - x2[0]);
    }
}
"""


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget what a test registers."""
    monkeypatch.setattr(custom, "_OPERATORS", {})


def spec(name: str) -> TensorSpec:
    return TensorSpec(name, (2, 3), "INT8", scale=0.5)


def network(*, twice: bool = False) -> bytes:
    """y = mix(x, |x|) with a builtin operator before and after."""
    tensors = [spec(name) for name in ("x", "n", "a", "b", "y", "c", "d")]
    operators = [
        OperatorSpec("ABS", ["x"], ["n"]),
        OperatorSpec("CUSTOM", ["x", "n"], ["a", "b"], custom="Mix", custom_options=bytes([3])),
    ]
    if twice:
        operators.append(OperatorSpec("CUSTOM", ["b", "a"], ["c", "d"], custom="Mix", custom_options=bytes([4])))
    last = ["c", "d"] if twice else ["a", "b"]
    operators.append(OperatorSpec("MAXIMUM", last, ["y"]))
    return model([GraphSpec(tensors, operators, ["x"], ["y", "b"])])


def mix(x: np.ndarray, other: np.ndarray, option: int) -> tuple[np.ndarray, np.ndarray]:
    return x + other, x - option


def test_an_importer_builds_the_outputs():
    def importer(node: Node) -> list[Value]:
        x, other = node.input(0).value, node.input(1).value
        return [x + other, x - node.info.custom_options[0]]

    register_custom_op("Mix", importer)
    x = np.arange(-2, 4, dtype=np.int8).reshape(2, 3)
    y, b = run_imported(network(), [x])
    first, second = mix(x, abs(x), 3)
    np.testing.assert_array_equal(b, second)
    np.testing.assert_array_equal(y, np.maximum(first, second))


@pytest.mark.parametrize("target", ["c", "host"])
def test_a_c_function_is_called(target: str):
    register_custom_op("Mix", CFunction("my_mix", MIX))
    x = np.arange(-2, 4, dtype=np.int8).reshape(2, 3)
    with api.compile(network(twice=True), target=target) as artifact:
        found = artifact.run({"x": x})
    first, second = mix(x, abs(x), 3)
    third, fourth = mix(second, first, 4)
    np.testing.assert_array_equal(found["b"], second)
    np.testing.assert_array_equal(found["y"], np.maximum(third, fourth))


def test_the_tree_declares_the_function_and_holds_its_text_once(tmp_path: Path):
    register_custom_op("Mix", CFunction("my_mix", MIX))
    tree = api.compile(network(twice=True), target="c", name="mixer").write(tmp_path / "tree")
    header = (tree / "src" / "mixer_kernels.h").read_text()
    assert header.count("void my_mix(") == 1
    assert (tree / "src" / "mixer_callbacks.c").read_text().count("void my_mix(") == 1


def test_without_its_text_the_project_supplies_the_function():
    register_custom_op("Mix", CFunction("my_mix"))
    tree = api.compile(network(), target="c", name="mixer").tree()
    assert "src/mixer_callbacks.c" not in list(tree)
    assert "Supplied by the user" in tree.text("src/mixer_kernels.h")


def test_the_graph_executor_calls_it_too():
    register_custom_op("Mix", CFunction("my_mix", MIX))
    x = np.arange(-2, 4, dtype=np.int8).reshape(2, 3)
    with api.compile(network(), target="c", executor="graph") as artifact:
        np.testing.assert_array_equal(artifact.run({"x": x})["b"], x - 3)


def test_the_interpreter_calls_the_python_function_of_its_name():
    register_custom_op("Mix", CFunction("my_mix", MIX))
    x = np.arange(-2, 4, dtype=np.int8).reshape(2, 3)

    def my_mix(x: np.ndarray, other: np.ndarray, option: np.ndarray, a: np.ndarray, b: np.ndarray) -> None:
        a[:], b[:] = mix(x, other, int(option[0]))

    register_func("my_mix", my_mix)
    try:
        np.testing.assert_array_equal(run_imported(network(), [x])[1], x - 3)
    finally:
        remove_global_func("my_mix")


def test_the_interpreter_says_what_it_cannot_call():
    register_custom_op("Mix", CFunction("my_mix", MIX))
    with pytest.raises(InputError, match=r"C my_mix: no Python function .*; register one by s2s\.register_func"):
        run_imported(network(), [np.zeros((2, 3), np.int8)])


@pytest.mark.parametrize("name", ["", "3d", "int", "a b", "x();"])
def test_names_of_functions_are_identifiers(name: str):
    with pytest.raises(InputError, match="is no name of a C function; give an identifier"):
        register_custom_op("Mix", CFunction(name))


def test_results_are_what_the_file_declares():
    register_custom_op("Mix", lambda node: [node.input(0).value] * 3)
    with pytest.raises(InputError, match="gives 3 results for 2 outputs; export the model again"):
        import_model(network())
