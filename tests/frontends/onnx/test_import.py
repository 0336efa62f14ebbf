"""The module an import makes: names, types, provenance, weights, folded constants; and what is reported how."""

from collections.abc import Callable

import numpy as np
import onnx
import pytest
from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.errors import InputError, UnsupportedError
from s2s.frontends.onnx import Imported, import_model
from support.onnx_nodes import run_imported, run_onnxruntime
from support.onnx_seeds import SEEDS, control_flow, convolutions, functions, quantised, shape_arithmetic
from support.onnx_text import onnx_model


def main_of(imported: Imported) -> FuncOp:
    """The network."""
    (main,) = imported.module.body.block.ops
    assert isinstance(main, FuncOp)
    return main


def operations(imported: Imported) -> list[Operation]:
    """Its operations."""
    return list(main_of(imported).body.block.ops)


def names(imported: Imported) -> list[str]:
    """Their names, without `graph.`."""
    return [op.name.removeprefix("graph.") for op in operations(imported)]


def text(attribute: object) -> str:
    """The text of a string attribute."""
    assert isinstance(attribute, StringAttr)
    return attribute.data


@pytest.mark.parametrize("seed", [convolutions, shape_arithmetic, quantised, functions])
def test_small_models_keep_their_numbers(seed: Callable[[], onnx.ModelProto]):
    model = seed()
    x = np.random.default_rng(0).normal(size=[d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim])
    inputs = [x.astype(np.float32)]
    for found, expected in zip(run_imported(import_model(model), inputs), run_onnxruntime(model, inputs), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("flag", [True, False])
def test_control_flow_keeps_its_numbers(flag: bool):
    inputs = [np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4), np.array(flag)]
    model = control_flow()
    for found, expected in zip(run_imported(import_model(model), inputs), run_onnxruntime(model, inputs), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5)


@pytest.mark.parametrize("seed", SEEDS)
def test_module_verifies(seed: Callable[[], onnx.ModelProto]):
    import_model(seed()).module.verify()


def test_main_has_the_names_of_inputs_and_outputs():
    model = onnx_model("(float[2] a, float[2] b) => (float[2] c) { c = Add(a, b) }")
    model.graph.input[0].name = model.graph.node[0].input[0] = "in.1"
    model.graph.output[0].name = model.graph.node[0].output[0] = "out/y"
    main = main_of(import_model(model))
    assert main.arg_attrs is not None
    assert main.res_attrs is not None
    assert [text(entry.data["name"]) for entry in main.arg_attrs] == ["in.1", "b"]
    assert [text(entry.data["name"]) for entry in main.res_attrs] == ["out/y"]


def test_operations_carry_the_name_of_their_node():
    imported = import_model(onnx_model("(float[2] x) => (float[2] y) { [first] a = Relu(x) y = Mish(a) }", 18))
    assert {text(op.attributes["node"]) for op in operations(imported)[:-1]} == {"first", "Mish_y"}


def test_nodes_of_a_function_carry_the_name_of_the_call():
    found = {text(op.attributes["node"]) for op in operations(import_model(functions()))[:-1]}
    assert "twice_a/scaled_h/Elu_e" in found


def test_values_keep_their_names():
    imported = import_model(onnx_model("(float[2] x) => (float[2] y) { a = Relu(x) y = Exp(a) }"))
    assert [op.results[0].name_hint for op in operations(imported)[:-1]] == ["a", "y"]


def test_initializers_become_weights_and_single_numbers_constants():
    imported = import_model(
        onnx_model(
            "(float[3] x) => (float[3] y) <float[3] w = {1, 2, 3}, float s = {2}> { a = Mul(x, w) y = Add(a, s) }"
        )
    )
    assert names(imported) == ["weight", "mul", "constant", "add", "func.return"]
    assert list(imported.weights.names()) == ["w"]
    weight = operations(imported)[0]
    assert isinstance(weight, graph.WeightOp)
    assert weight.hash.data == imported.weights.hash("w")


def test_weights_nobody_reads_are_left_out():
    body = "(float[3] x) => (float[3] y) <float[3] w = {1, 2, 3}> { y = Relu(x) }"
    assert len(import_model(onnx_model(body)).weights) == 0


def test_a_weight_read_twice_is_stored_once():
    body = "(float[3] x) => (float[3] y) <float[3] w = {1, 2, 3}> { a = Mul(x, w) y = Add(a, w) }"
    assert names(import_model(onnx_model(body))) == ["weight", "mul", "add", "func.return"]


def test_shape_arithmetic_is_folded():
    assert set(names(import_model(shape_arithmetic()))) == {
        "reshape", "weight", "constant", "mul", "slice", "transpose", "add", "func.return",
    }  # fmt: skip


def test_constants_of_one_value_stay_one_value():
    imported = import_model(
        onnx_model(
            """(float[1, 1000] x) => (float[1, 50000] y) <int64[2] s = {1000, 50000}> {
                w = ConstantOfShape <value = float[1] {0.5}> (s)
                y = MatMul(x, w)
            }"""
        )
    )
    (name,) = imported.weights.names()
    assert imported.weights.get(name).strides == (0, 0)


def test_what_holds_no_element_is_a_constant():
    body = """(float[3] x) => (float[3] y) <int64[1] zero = {0}> {
        none = Slice(x, zero, zero)
        y = Concat <axis = 0> (none, x, none)
    }"""
    assert names(import_model(onnx_model(body))) == ["func.return"]


def test_output_may_be_an_input_or_a_constant():
    body = "(float[2] x) => (float[2] x2, float[2] k) { x2 = Identity(x) k = Constant <value = float[2] {1, 2}> () }"
    found = run_imported(import_model(onnx_model(body)), [np.array([5, 6], np.float32)])
    assert [value.tolist() for value in found] == [[5, 6], [1, 2]]


def test_initializer_of_an_input_is_its_value():
    model = onnx_model("(float[2] x, float[2] w) => (float[2] y) <float[2] w = {1, 2}> { y = Add(x, w) }")
    assert len(main_of(import_model(model)).body.block.args) == 1


def test_name_and_origin():
    imported = import_model(onnx_model("(float[2] x) => (float[2] y) { y = Relu(x) }"), name="net")
    assert imported.name == "net"
    assert imported.origin.opsets == {"": 17}
    assert imported.origin.nodes == 1


def test_open_dimension_needs_a_shape():
    model = onnx_model("(float[batch, 3] x) => (float[batch, 3] y) { y = Relu(x) }")
    with pytest.raises(InputError, match=r"input x: dimension 0 \(batch\) has no size; .*--shape x=1,3"):
        import_model(model)
    assert main_of(import_model(model, shapes={"x": (5, 3)})).body.block.args[0].type == import_type(5, 3)


@pytest.mark.parametrize(
    ("dims", "example"),
    [
        ("batch, 3, height, width", "1,3,224,224"),
        ("N, H, W, 3", "1,224,224,3"),
        ("N, 3, 48, W", "1,3,48,224"),
        ("batch, steps, 64", "1,128,64"),
        ("N", "1"),
    ],
)
def test_a_usual_shape_is_proposed(dims: str, example: str):
    model = onnx_model(f"(float[{dims}] x) => (float[{dims}] y) {{ y = Relu(x) }}")
    with pytest.raises(InputError, match=f"give the shape, as in --shape x={example}, or the size"):
        import_model(model)


def test_a_dimension_named_batch_is_proposed_as_one_wherever_it_stands():
    model = onnx_model("(float[2, batch_size, 8] state) => (float[2, batch_size, 8] y) { y = Relu(state) }")
    with pytest.raises(InputError, match=r"dimension 1 \(batch_size\) has no size; .*--shape state=2,1,8"):
        import_model(model)


def test_a_dimension_of_minus_one_is_open():
    model = onnx_model("(float[N, 3] x) => (float[N, 3] y) { y = Relu(x) }")
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_value = -1
    with pytest.raises(InputError, match=r"dimension 0 \(\?\) has no size; .*--shape x=1,3"):
        import_model(model)
    assert main_of(import_model(model, shapes={"x": (5, 3)})).body.block.args[0].type == import_type(5, 3)


def import_type(*shape: int) -> object:
    """The type of an imported input of floats."""
    dims = ", ".join(map(str, shape))
    body = f"(float[{dims}] x) => (float[{dims}] y) {{ y = Relu(x) }}"
    return main_of(import_model(onnx_model(body))).body.block.args[0].type


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ({"z": (1, 3)}, "--shape z: the model has no such input; its inputs are 'x'"),
        ({"x": (1, 4)}, r"--shape gives \[1, 4\], the model declares \[batch, 3\]"),
        ({"x": (1, 3, 1)}, "--shape gives"),
        ({"x": (-1, 3)}, "negative"),
        ({"x": (2**40, 3)}, "elements"),
    ],
)
def test_given_shape_must_fit(shapes: dict[str, tuple[int, ...]], message: str):
    model = onnx_model("(float[batch, 3] x) => (float[batch, 3] y) { y = Relu(x) }")
    with pytest.raises((InputError, UnsupportedError), match=message):
        import_model(model, shapes=shapes)


def test_all_that_is_unsupported_is_reported_at_once():
    model = onnx_model(
        """(float[2, 3] x) => (float[2, 3] y) {
            [one] a = ImageDecoder(x)
            [two] b = Frobnicate(a)
            [three] c = Relu(b)
            [four] d = StringNormalizer(c)
            [five] e = StringConcat(x, x)
            y = Add(c, x)
        }"""
    )
    with pytest.raises(UnsupportedError) as caught:
        import_model(model)
    lines = str(caught.value).splitlines()
    assert [line.split(" ")[0] for line in lines] == ["one", "two", "four", "five"]
    assert all(";" in line for line in lines)


def test_reading_goes_on_after_an_unsupported_node():
    """The type of its output is inferred, so that a later node with a run-time shape is found too."""
    model = onnx_model(
        """(float[3, 1, 2] x, float[1, 8, 2] w, int64[2] s) => (float[rows, columns] y) {
            [one] a = LSTM <hidden_size = 2, input_forget = 1> (x, w, w)
            [two] y = Reshape(a, s)
        }"""
    )
    with pytest.raises(UnsupportedError, match=r"(?s)one \(LSTM\).*two \(Reshape\)"):
        import_model(model)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("(float[2] x) => (float[2] y) { y = Relu(x, x) }", "has 2 inputs, Relu takes 1"),
        ("(float[2] x) => (float[2] y) { y = Add(x) }", "has 1 inputs, Add takes 2"),
        ("(float[2] x) => (float[2] y, float[2] z) { y, z = Relu(x) }", "has 2 outputs"),
        ("(float[2] x) => (float[2] y) { y = Relu <alpha = 1.0> (x) }", "no attribute 'alpha'"),
        ("(float[2] x) => (float[2] y) { y = Elu <alpha = 1> (x) }", "attribute 'alpha' is of type INT, expected"),
        ("(float[2] x) => (float[2] y) { y = Concat(x, x) }", "required attribute 'axis' is missing"),
        ("(float[2] x, int32[2] z) => (float[2] y) { y = Add(x, z) }", "must have the same type; insert a Cast"),
        ("(bool[2] x) => (bool[2] y) { y = Relu(x) }", "does not take; insert a Cast"),
        ("(float[2] x, float[3] z) => (float[2] y) { y = Add(x, z) }", r"shapes \[2\] and \[3\] do not broadcast"),
        ("(float[2] x) => (int32[2] y) { y = Relu(x) }", "output y: is declared as int32 and computed as float32"),
    ],
)  # fmt: skip
def test_node_that_does_not_fit_its_operator_is_refused(body: str, message: str):
    with pytest.raises(InputError, match=message):
        import_model(onnx_model(body))


@pytest.mark.parametrize(
    ("type", "message"),
    [("string", "element type string"), ("complex64", "element type complex64"), ("seq(float[2])", "sequence")],
)
def test_inputs_of_other_types_are_unsupported(type: str, message: str):
    body = f"({type}[2] x) => (float[2] y) {{ y = Cast <to = 1> (x) }}"
    body = body.replace("seq(float[2])[2]", "seq(float[2])")
    with pytest.raises(UnsupportedError, match=f"input x: .*{message}"):
        import_model(onnx_model(body))


def test_loop_that_never_ends_is_unsupported():
    model = onnx_model(
        """(float[1] x) => (float[1] y) <bool true = {1}> {
            y = Loop (, true, x) <body = b (int64 i, bool c, float[1] v) => (bool d, float[1] w) {
                d = Identity(c) w = Add(v, v) }>
        }"""
    )
    with pytest.raises(UnsupportedError, match="never ends"):
        import_model(model)


def test_import_is_deterministic():
    assert str(import_model(convolutions()).module) == str(import_model(convolutions()).module)
