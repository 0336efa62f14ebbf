"""Versions of operators: those that are read are LiteRT's; newer ones, and newer options, are refused."""

import importlib
import inspect
import re
from typing import Any

import pytest

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.tflite import import_model
from s2s.frontends.tflite.newer import RETIRED
from s2s.frontends.tflite.read import read_model
from s2s.frontends.tflite.schema import enum_names, fields_of, options_class
from s2s.frontends.tflite.table import IMPORTERS
from s2s.frontends.tflite.versions import newest_version
from s2s.frontends.tflite.writer import GraphSpec, OperatorSpec, TensorSpec, flatbuffers, model, tflite

WITHOUT_KERNEL = ("CALL",)
"""Read, though TFLite itself has no kernel."""


def of_version(builtin: str, version: int) -> bytes:
    operator = OperatorSpec(builtin, ["x", "x"], ["y"], version=version)
    return model([GraphSpec([TensorSpec("x", (1,)), TensorSpec("y", (1,))], [operator], ["x"], ["y"])])


def litert_has(builtin: str, version: int) -> bool:
    package: Any = importlib.import_module("ai_edge_litert.interpreter")
    kernels = package.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    try:
        package.Interpreter(model_content=of_version(builtin, version), experimental_op_resolver_type=kernels)
    except ValueError as error:
        return "Didn't find op" not in str(error)
    return True


@pytest.mark.parametrize("builtin", sorted(set(IMPORTERS) - set(WITHOUT_KERNEL)))
def test_the_newest_version_is_that_of_litert(builtin: str):
    assert litert_has(builtin, newest_version(builtin))
    assert not litert_has(builtin, newest_version(builtin) + 1)


@pytest.mark.parametrize("builtin", ["ADD", "FLOOR", "FULLY_CONNECTED", "CALL"])
def test_a_newer_version_is_refused(builtin: str):
    newest = newest_version(builtin)
    with pytest.raises(UnsupportedError, match=f"has version {newest + 1}, and versions 1 to {newest} are read"):
        import_model(of_version(builtin, newest + 1))


@pytest.mark.parametrize("version", range(1, newest_version("ADD") + 1))
def test_every_version_of_a_sum_is_read(version: int):
    import_model(of_version("ADD", version))


def test_fields_of_options_are_those_of_the_schema():
    names = {name for builtin in enum_names("BuiltinOperator").values() if (name := options_class(builtin))}
    for name in names - {"StablehloCaseOptions"}:
        source = inspect.getsource(importlib.import_module(f"tflite.{name}"))
        [count] = re.findall(r"StartObject\((\d+)\)", source)
        assert len(fields_of(name)) + RETIRED.get(name, 0) == int(count), name


def test_a_newer_option_is_refused(monkeypatch: pytest.MonkeyPatch):
    """A fully connected layer whose options have the field `quant_spec`, which the package does not know."""
    module: Any = importlib.import_module("tflite.FullyConnectedOptions")
    known = len(fields_of("FullyConnectedOptions"))

    def start(builder: Any) -> None:
        builder.StartObject(known + 1)

    def add(builder: Any, text: int) -> None:
        builder.PrependUOffsetTRelativeSlot(known, text, 0)

    monkeypatch.setattr(module, "Start", start)
    monkeypatch.setattr(module, "AddQuantSpec", add, raising=False)
    tensors = [TensorSpec("x", (1, 2)), TensorSpec("w", (3, 2)), TensorSpec("y", (1, 3))]
    options = {"quant_spec": "a4w4"}
    operator = OperatorSpec("FULLY_CONNECTED", ["x", "w"], ["y"], "FullyConnectedOptions", options)
    data = model([GraphSpec(tensors, [operator], ["x", "w"], ["y"])])
    with pytest.raises(UnsupportedError, match=f"a field beyond the {known} that are known"):
        read_model(data, "model")


def test_a_version_of_zero_is_wrong():
    with pytest.raises(InputError, match="operator version 0"):
        import_model(of_version("ADD", 0))


def test_every_importer_is_a_builtin():
    assert set(IMPORTERS) <= {*vars(tflite.BuiltinOperator), "STABLEHLO_CASE"}


def test_values_outside_of_the_file_are_refused():
    schema: Any = importlib.import_module("ai_edge_litert.schema_py_generated")
    packed: Any = schema.ModelT.InitFromPackedBuf(of_version("ADD", 1), 0)
    packed.subgraphs[0].tensors[0].externalBuffer = 3
    builder = flatbuffers.Builder(1024)
    builder.Finish(packed.Pack(builder), b"TFL3")
    with pytest.raises(UnsupportedError, match="tensor 0 'x': its values lie outside of the file"):
        import_model(bytes(builder.Output()))
