"""Fourier transforms and what makes real numbers of complex ones, against LiteRT's reference kernels."""

import importlib
from typing import Any

import numpy as np
import pytest

from s2s.errors import UnsupportedError
from s2s.frontends.tflite import import_model
from s2s.frontends.tflite.writer import GraphSpec, OperatorSpec, TensorSpec, model
from s2s.interpret.graph import run_graph
from s2s.types.dtypes import Array

T, Op = TensorSpec, OperatorSpec


def spectrum(shape: tuple[int, ...], sizes: tuple[int, int], *parts: str) -> bytes:
    """A model that transforms its input and gives `parts` of the spectrum."""
    bins = (*shape[:-2], sizes[0], sizes[1] // 2 + 1)
    tensors = [
        T("x", shape),
        T("sizes", (2,), data=np.asarray(sizes, np.int32)),
        T("s", bins, "COMPLEX64"),
        *(T(part, bins) for part in parts),
    ]
    operators = [Op("RFFT2D", ["x", "sizes"], ["s"], "Rfft2dOptions")]
    operators += [Op(part, ["s"], [part]) for part in parts]
    return model([GraphSpec(tensors, operators, ["x"], list(parts))])


def run_litert(data: bytes, x: Array) -> list[Array]:
    package: Any = importlib.import_module("ai_edge_litert.interpreter")
    interpreter = package.Interpreter(model_content=data)
    interpreter.allocate_tensors()
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], x)
    interpreter.invoke()
    return [interpreter.get_tensor(each["index"]) for each in interpreter.get_output_details()]


CASES = {
    "one row": ((3, 1, 128), (1, 128)),
    "by a matrix": ((8, 16), (8, 16)),
    "filled up in both dimensions": ((2, 50, 100), (64, 128)),
    "cut": ((70, 80), (64, 64)),
}


@pytest.mark.parametrize("name", CASES)
def test_parts_of_spectra_equal_the_reference(name: str):
    shape, sizes = CASES[name]
    data = spectrum(shape, sizes, "REAL", "IMAG", "COMPLEX_ABS")
    x = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    imported = import_model(data)
    found = run_graph(imported.module, [x], imported.weights)
    for value, right in zip(found, run_litert(data, x), strict=True):
        np.testing.assert_allclose(value, right, rtol=1e-5, atol=1e-4)


def test_shapes_and_casts_of_spectra_equal_the_reference():
    """As `tf.signal.stft` and a cast to floats, which keeps the real part, are converted."""
    tensors = [
        T("x", (3, 64)),
        T("axis", (), data=np.asarray(-2, np.int32)),
        T("rows", (3, 1, 64)),
        T("sizes", (2,), data=np.asarray([1, 64], np.int32)),
        T("s", (3, 1, 33), "COMPLEX64"),
        T("squeezed", (3, 33), "COMPLEX64"),
        T("shape", (2,), data=np.asarray([33, 3], np.int32)),
        T("reshaped", (33, 3), "COMPLEX64"),
        T("last", (), data=np.asarray(-1, np.int32)),
        T("expanded", (33, 3, 1), "COMPLEX64"),
        T("y", (33, 3, 1)),
    ]
    operators = [
        Op("EXPAND_DIMS", ["x", "axis"], ["rows"], "ExpandDimsOptions"),
        Op("RFFT2D", ["rows", "sizes"], ["s"], "Rfft2dOptions"),
        Op("SQUEEZE", ["s"], ["squeezed"], "SqueezeOptions", {"squeeze_dims": [-2]}),
        Op("RESHAPE", ["squeezed", "shape"], ["reshaped"]),
        Op("EXPAND_DIMS", ["reshaped", "last"], ["expanded"], "ExpandDimsOptions"),
        Op("CAST", ["expanded"], ["y"], "CastOptions"),
    ]
    data = model([GraphSpec(tensors, operators, ["x"], ["y"])])
    x = np.random.default_rng(0).normal(size=(3, 64)).astype(np.float32)
    imported = import_model(data)
    (found,) = run_graph(imported.module, [x], imported.weights)
    np.testing.assert_allclose(found, run_litert(data, x)[0], rtol=1e-5, atol=1e-4)


def test_what_is_refused_is_named_before_what_follows_from_it():
    """The result of a refused operator has the shape of the file, which may be a placeholder that others refuse."""
    tensors = [
        T("x", (2, 8)),
        T("a", (1, 1), signature=(-1, -1)),
        T("w", (1, 4, 4, 1), data=np.ones((1, 4, 4, 1), np.float32)),
        T("b", (1,), data=np.zeros(1, np.float32)),
        T("y", (1, 1, 1, 1), signature=(-1, -1, -1, 1)),
    ]
    operators = [Op("CUSTOM", ["x"], ["a"], custom="Unknown"), Op("CONV_2D", ["a", "w", "b"], ["y"], "Conv2DOptions")]
    with pytest.raises(UnsupportedError, match=r"^operator 0 \(custom Unknown\) 'a': no importer is registered"):
        import_model(model([GraphSpec(tensors, operators, ["x"], ["y"])]))


def test_other_operators_refuse_complex_numbers():
    tensors = [T("x", (4,), "COMPLEX64"), T("y", (4,), "COMPLEX64")]
    data = model([GraphSpec(tensors, [Op("MUL", ["x", "x"], ["y"], "MulOptions")], ["x"], ["y"])])
    with pytest.raises(UnsupportedError, match="it works on complex numbers"):
        import_model(data)
