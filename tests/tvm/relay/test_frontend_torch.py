"""`from_pytorch` as TVM documents it: a trace of TorchScript, and inputs that are named with their shapes."""

from typing import Any

import numpy as np
import pytest

from s2s.errors import UnsupportedError
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
    with pytest.raises(UnsupportedError, match=r"custom_convert_map is not supported; use s2s.register_custom_op"):
        relay.frontend.from_pytorch(Layers(), SHAPES, {"aten::relu": print})
