"""What is wrong with a file is said by name, place and way out."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.tflite import import_model, load_model
from s2s.frontends.tflite.writer import GraphSpec, OperatorSpec, TensorSpec, model, single
from s2s.interpret.graph import run_graph

X = TensorSpec("x", (1, 4), "INT8", scale=0.5, zero_point=3)
Y = TensorSpec("y", (4, 1), "INT8", scale=0.5, zero_point=3)
RESHAPE = OperatorSpec("RESHAPE", ["x"], ["y"], "ReshapeOptions", {"new_shape": [4, 1]})


def network(
    tensors: Sequence[TensorSpec] = (X, Y),
    operators: Sequence[OperatorSpec] = (RESHAPE,),
    inputs: Sequence[str] = ("x",),
    outputs: Sequence[str] = ("y",),
) -> bytes:
    return model([GraphSpec(tensors, operators, inputs, outputs)])


def refused(data: bytes, message: str, kind: type[Exception] = InputError) -> None:
    with pytest.raises(kind, match=message):
        import_model(data)


def test_a_sound_network_is_imported():
    assert import_model(network()).origin.nodes == 1


@pytest.mark.parametrize("scale", [0.0, -1.0, float("nan"), float("inf")])
def test_scales_are_positive_and_finite(scale: float):
    refused(network((replace(X, scale=scale), Y)), r"tensor 0 'x': scale .* is not a positive finite number; quantise")


def test_zero_points_lie_in_the_range_of_their_type():
    refused(network((replace(X, zero_point=128), Y)), r"tensor 0 'x': a zero point is outside -128 to 127; quantise")


@pytest.mark.parametrize(("scales", "axis"), [([0.5, 0.5], 1), ([0.5] * 4, 2), ([0.5] * 4, -1)])
def test_scales_of_channels_fit_the_shape(scales: list[float], axis: int):
    wrong = replace(X, scale=scales, zero_point=0, axis=axis)
    refused(network((wrong, Y)), rf"tensor 0 'x': {len(scales)} scales along axis {axis} do not fit shape \[1, 4\]")


def test_constants_are_as_long_as_their_shape():
    short = TensorSpec("w", (3, 3), data=np.zeros((2, 3), np.int16))
    refused(network((X, Y, short)), r"tensor 2 'w': holds 12 bytes, its shape \[3, 3\] needs 18; export it again")


def test_shapes_are_bounded():
    refused(network((replace(X, shape=(2**31 - 1, 2**31 - 1)), Y)), "has over", UnsupportedError)


def test_shapes_of_inputs_are_known():
    refused(network((replace(X, shape=(0, 4)), Y)), r"tensor 0 'x': input of shape \[0, 4\]; give sizes")


def test_operands_have_a_value():
    refused(
        network(inputs=()), r"operator 0 \(RESHAPE\) 'y': input 0, tensor 0 'x', has no value: no operator produces"
    )


def test_operators_stand_in_order():
    middle = TensorSpec("m", (2, 2), "INT8", scale=0.5)
    first = OperatorSpec("RESHAPE", ["m"], ["y"], "ReshapeOptions", {"new_shape": [4, 1]})
    second = OperatorSpec("RESHAPE", ["x"], ["m"], "ReshapeOptions", {"new_shape": [2, 2]})
    refused(network((X, Y, middle), (first, second)), r"'m', is produced only later: .* out of order or form a cycle")


def test_an_operator_does_not_read_its_own_result():
    refused(network(operators=(replace(RESHAPE, inputs=["y"]),)), "tensor 1 'y', is what it produces itself")


def test_tensors_are_written_once():
    refused(network(operators=(RESHAPE, RESHAPE)), "writes tensor 1 'y', which has a value already; export")


def test_constants_are_not_written():
    constant = replace(Y, data=np.zeros((4, 1), np.int8))
    refused(network((X, constant)), "writes tensor 1 'y', a constant; export the model again")


def test_inputs_are_not_written():
    refused(network(inputs=("x", "y")), "writes tensor 1 'y', an input of the graph; export")


def test_inputs_are_listed_once():
    refused(network(inputs=("x", "x")), "tensor 0 'x': is an input of the graph and listed twice; fix")


def test_outputs_are_produced():
    refused(network(operators=()), "tensor 1 'y': is an output that no operator produces; fix the outputs")


def test_results_are_what_the_file_declares():
    wrong = replace(Y, shape=(2, 2))
    operator = OperatorSpec("TRANSPOSE", ["x", "p"], ["y"], "TransposeOptions")
    perm = TensorSpec("p", (2,), data=np.array([1, 0], np.int32))
    refused(network((X, wrong, perm), (operator,)), r"computes int8\[4, 1\], tensor 1 'y' is declared as int8\[2, 2\]")


def test_options_belong_to_their_operator():
    refused(network(operators=(replace(RESHAPE, options="AddOptions", fields={}),)), "options of another operator")


def test_every_operator_that_is_not_supported_is_named():
    operators = (
        OperatorSpec("HASHTABLE_FIND", ["x"], ["m"]),
        OperatorSpec("CUSTOM", ["m"], ["y"], custom="Frobnicate"),
    )
    data = network((X, Y, TensorSpec("m", (1, 4), "INT8")), operators)
    with pytest.raises(UnsupportedError) as raised:
        import_model(data)
    first, second = str(raised.value).split("\n")
    fact = "it works on strings, which networks in C do not have; compute it outside the network"
    assert first == f"operator 0 (HASHTABLE_FIND) 'm': {fact}"
    assert second.startswith("operator 1 (custom Frobnicate) 'y': no importer is registered for this custom operator; ")


@pytest.mark.parametrize("kind", ["STRING", "COMPLEX128"])
def test_element_types_that_are_no_numbers(kind: str):
    refused(network((replace(X, type=kind), Y)), rf"tensor 0 'x': element type {kind.lower()} is not", UnsupportedError)


def test_float_activations_with_integer_weights_are_refused_with_advice():
    inputs = [TensorSpec("x", (1, 4)), TensorSpec("w", (3, 4), data=np.ones((3, 4), np.int16), scale=0.5)]
    data = single("FULLY_CONNECTED", inputs, [TensorSpec("y", (1, 3))], "FullyConnectedOptions")
    refused(data, "is hybrid: float32 input and int16 weights; quantise the activations too", UnsupportedError)


def test_an_input_is_resized():
    tensors = [TensorSpec("x", (1, 1)), TensorSpec("w", (1, 4), data=np.arange(4, dtype=np.float32).reshape(1, 4))]
    data = single("ADD", tensors, [TensorSpec("y", (1, 4))], "AddOptions")
    imported = import_model(data, shapes={"x": (3, 4)})
    x = np.ones((3, 4), np.float32)
    [y] = run_graph(imported.module, [x], imported.weights)
    np.testing.assert_array_equal(y, x + np.arange(4))


def test_a_reshape_that_a_resized_input_does_not_fit_is_refused():
    with pytest.raises(InputError, match="does not fit the 8 elements of its input"):
        import_model(network(), shapes={"x": (2, 4)})


def test_a_shape_of_another_rank_or_for_no_input_is_refused():
    with pytest.raises(InputError, match=r"tensor 0 'x': --shape gives \[4\], the model has 2 dimensions; make"):
        import_model(network(), shapes={"x": (4,)})
    with pytest.raises(InputError, match=r"--shape z: the model has no such input; its inputs are 'x'"):
        import_model(network(), shapes={"z": (2, 4)})


def test_names_of_the_converter_are_made_plain():
    tensors, operator = (replace(X, name="serving_default_x:0"), Y), replace(RESHAPE, inputs=["serving_default_x:0"])
    (facts,) = arguments(network(tensors, (operator,), ("serving_default_x:0",)))
    assert facts["name"].data == "x"


def arguments(data: bytes) -> list[dict[str, Any]]:
    main: Any = import_model(data).module.body.block.first_op
    return [dict(each.data) for each in main.arg_attrs]


def test_quantisation_of_inputs_reaches_the_module():
    (facts,) = arguments(network())
    assert facts["name"].data == "x"
    assert (facts["quant_scale"].value.data, facts["quant_zero_point"].value.data) == (0.5, 3)


def test_files_are_read_by_content(tmp_path: Any):
    path = tmp_path / "network.bin"
    path.write_bytes(network())
    assert load_model(path).info.subgraphs[0].operators[0].builtin == "RESHAPE"


def test_a_file_that_is_not_there(tmp_path: Any):
    with pytest.raises(InputError, match=r"none.tflite: cannot be read \(No such file or directory\); give the path"):
        load_model(tmp_path / "none.tflite")
