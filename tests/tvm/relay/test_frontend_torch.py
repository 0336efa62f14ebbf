"""`from_pytorch` as TVM documents it: a trace of TorchScript, and inputs that are named with their shapes."""

from typing import Any

import numpy as np
import pytest

from s2s.errors import InputError, UnsupportedError
from s2s.tvm import relay
from s2s.tvm.relay import create_executor

torch = pytest.importorskip("torch")


class Layers(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()  # pyright: ignore[reportUnknownMemberType]
        self.conv, self.norm = torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4)

    def forward(self, image: Any, scale: Any) -> Any:
        return torch.relu(self.norm(self.conv(image))) * scale


SHAPES = [("input0", (1, 3, 8, 8)), ("input1", ((1, 1), "float32"))]


@pytest.mark.parametrize("is_traced", [True, False])
def test_inputs_have_the_names_that_are_given(is_traced: bool):
    module = Layers().eval()
    image, scale = torch.randn(1, 3, 8, 8), torch.full((1, 1), 2.5)
    source = torch.jit.trace(module, (image, scale)) if is_traced else module
    mod, params = relay.frontend.from_pytorch(source, SHAPES)
    assert [each.name_hint for each in mod["main"].params] == ["input0", "input1"]
    assert "conv.weight" in params
    evaluate: Any = create_executor("graph", mod).evaluate()
    result = evaluate(input1=scale.numpy(), input0=image.numpy())
    np.testing.assert_allclose(result, module(image, scale).detach().numpy(), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    "argument", ["use_parser_friendly_name", "keep_quantized_weight", "export_renamed_c_graph_path"]
)
def test_what_has_no_meaning_here_is_refused(argument: str):
    with pytest.raises(UnsupportedError, match=argument):
        relay.frontend.from_pytorch(Layers(), SHAPES, **{argument: "yes"})  # pyright: ignore[reportArgumentType]


def test_a_converter_of_a_program_goes_first():
    seen: list[list[str]] = []

    def relu_to_one(inputs: list[Any], input_types: list[str]) -> Any:
        seen.append(input_types)
        return relay.clip(inputs[0], 0.0, 1.0)

    x = torch.tensor([[-1.0, 0.5, 3.0]])
    for module in (torch.nn.ReLU(), torch.jit.trace(torch.nn.ReLU(), x)):  # pyright: ignore[reportUnknownMemberType]
        mod, _ = relay.frontend.from_pytorch(module, [("x", (1, 3))], custom_convert_map={"aten::relu": relu_to_one})
        evaluate: Any = create_executor("graph", mod).evaluate()
        np.testing.assert_array_equal(evaluate(x=x.numpy()), [[0.0, 0.5, 1.0]])
    assert seen == [["float32"]] * 2


class Halves(torch.nn.Module):
    def forward(self, x: Any) -> Any:
        first, second = torch.split(x, 2, dim=1)
        return first - second


def test_a_converter_gets_constants_and_gives_several_results():
    def swapped(inputs: list[Any], input_types: list[str]) -> Any:
        data, size, dim = inputs
        assert input_types == ["float32", "list", "int"]
        return tuple(reversed(relay.split(data, len(size), dim).fields))

    mod, _ = relay.frontend.from_pytorch(Halves(), [("x", (1, 4))], {"aten::split_with_sizes": swapped})
    evaluate: Any = create_executor("graph", mod).evaluate()
    np.testing.assert_array_equal(evaluate(x=np.array([[1, 2, 5, 9]], np.float32)), [[4, 7]])


WRONG: list[tuple[Any, str]] = [
    (lambda inputs, types: relay.sum(inputs[0]), r"its converter gives float32\[\], torch has float32\[1, 3\]"),  # pyright: ignore[reportUnknownLambdaType]
    (lambda inputs, types: None, "its converter returns None; return an expression of relay"),  # pyright: ignore[reportUnknownLambdaType]
]


@pytest.mark.parametrize(("converter", "text"), WRONG, ids=["shape", "nothing"])
def test_a_converter_that_gives_something_else_is_an_error(converter: Any, text: str):
    with pytest.raises(InputError, match=text):
        relay.frontend.from_pytorch(torch.nn.ReLU(), [("x", (1, 3))], {"aten::relu": converter})


def test_a_converter_that_would_not_be_asked_is_refused():
    def converter(inputs: list[Any], input_types: list[str]) -> Any:
        return inputs[0]

    module, infos = torch.nn.Hardswish(), [("x", (1, 3))]
    relay.frontend.from_pytorch(module, infos, {"aten::no_such_operator": converter})
    with pytest.raises(UnsupportedError, match=r"custom_convert_map: aten::hardswish: is read as the operators"):
        relay.frontend.from_pytorch(module, infos, {"aten::hardswish": converter})
