"""Convolution and pooling: padding in all its ways, rounding up, groups, dilation, one to three dimensions."""

import numpy as np
import pytest

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.onnx import import_model
from support.onnx_nodes import NodeCase, check, floats, known, run_imported, run_onnxruntime
from support.reference import assert_close

IMAGE = floats(2, 4, 9, 8)
LINE = floats(1, 4, 11)
VOLUME = floats(1, 4, 5, 6, 7)
KERNEL = floats(6, 4, 3, 2, seed=1)
GROUPED = floats(6, 2, 3, 3, seed=1)
BIAS = floats(6, seed=2)

CONVOLUTIONS = {
    "plain": NodeCase("Conv", [IMAGE, KERNEL]),
    "bias": NodeCase("Conv", [IMAGE, KERNEL, BIAS]),
    "line": NodeCase("Conv", [LINE, floats(3, 4, 5)], {"pads": [2, 1], "strides": [2]}),
    "volume": NodeCase("Conv", [VOLUME, floats(3, 4, 2, 3, 3)], {"pads": [1, 0, 1, 0, 1, 1]}),
    "uneven pads": NodeCase("Conv", [IMAGE, KERNEL], {"pads": [0, 1, 2, 1], "strides": [2, 1]}),
    "dilated": NodeCase("Conv", [IMAGE, KERNEL], {"dilations": [2, 3]}),
    "grouped": NodeCase("Conv", [IMAGE, GROUPED, BIAS], {"group": 2}),
    "depthwise": NodeCase("Conv", [IMAGE, floats(4, 1, 3, 3)], {"group": 4, "pads": [1, 1, 1, 1]}),
    "same upper": NodeCase("Conv", [IMAGE, KERNEL], {"auto_pad": "SAME_UPPER", "strides": [2, 3]}),
    "same lower": NodeCase("Conv", [IMAGE, KERNEL], {"auto_pad": "SAME_LOWER", "strides": [2, 2]}),
    "valid ignores pads": NodeCase("Conv", [IMAGE, KERNEL], {"auto_pad": "VALID", "strides": [2, 2]}),
    "transposed": NodeCase("ConvTranspose", [IMAGE, floats(4, 3, 3, 3)], {"strides": [2, 3]}),
    "transposed and grouped": NodeCase("ConvTranspose", [IMAGE, floats(4, 3, 3, 3), BIAS], {"group": 2}),
    "transposed with output_shape": NodeCase(
        "ConvTranspose", [IMAGE, floats(4, 3, 3, 3)], {"strides": [3, 2], "output_shape": [28, 18]}
    ),
    "transposed with output_padding": NodeCase(
        "ConvTranspose",
        [IMAGE, floats(4, 3, 3, 3)],
        {"strides": [2, 2], "output_padding": [1, 0], "pads": [1, 1, 1, 1]},
    ),
    "transposed same upper": NodeCase(
        "ConvTranspose", [IMAGE, floats(4, 3, 3, 4)], {"strides": [2, 2], "auto_pad": "SAME_UPPER"}
    ),
    "transposed line dilated": NodeCase("ConvTranspose", [LINE, floats(4, 2, 3)], {"dilations": [2]}),
}
POOLS = {
    "max": NodeCase("MaxPool", [IMAGE], {"kernel_shape": [3, 2], "strides": [2, 2]}),
    "max with indices": NodeCase("MaxPool", [IMAGE], {"kernel_shape": [3, 3], "strides": [2, 2]}, outputs=2),
    "max of a line": NodeCase("MaxPool", [LINE], {"kernel_shape": [3], "pads": [1, 1]}),
    "max dilated": NodeCase("MaxPool", [IMAGE], {"kernel_shape": [2, 2], "dilations": [2, 3]}),
    "max rounded up": NodeCase("MaxPool", [IMAGE], {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1}),
    "max same lower": NodeCase("MaxPool", [IMAGE], {"kernel_shape": [3, 2], "auto_pad": "SAME_LOWER"}),
    "last window in the padding": NodeCase(
        "MaxPool", [floats(1, 1, 2, 2)], {"kernel_shape": [1, 1], "strides": [2, 2], "ceil_mode": 1}, 22
    ),
    "average": NodeCase("AveragePool", [IMAGE], {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}),
    "average counts padding": NodeCase(
        "AveragePool", [IMAGE], {"kernel_shape": [3, 3], "pads": [1, 0, 2, 1], "count_include_pad": 1}
    ),
    "average rounded up": NodeCase("AveragePool", [IMAGE], {"kernel_shape": [4, 3], "strides": [3, 3], "ceil_mode": 1}),
    "average rounded up counts padding": NodeCase(
        "AveragePool",
        [IMAGE],
        {"kernel_shape": [4, 4], "strides": [3, 3], "ceil_mode": 1, "pads": [1, 1, 1, 1], "count_include_pad": 1},
    ),
    "average of opset 7": NodeCase("AveragePool", [IMAGE], {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}, 7),
    "average dilated": NodeCase("AveragePool", [IMAGE], {"kernel_shape": [2, 2], "dilations": [2, 2]}, 19),
    "volume": NodeCase("AveragePool", [VOLUME], {"kernel_shape": [2, 2, 2], "strides": [1, 2, 2]}),
    "p-norm": NodeCase("LpPool", [IMAGE], {"kernel_shape": [3, 2], "p": 3, "strides": [2, 1]}, 18),
    "global average": NodeCase("GlobalAveragePool", [IMAGE]),
    "global max": NodeCase("GlobalMaxPool", [IMAGE]),
    "global p-norm": NodeCase("GlobalLpPool", [IMAGE], {"p": 3}),
}  # fmt: skip


@pytest.mark.parametrize("case", [*CONVOLUTIONS.values(), *POOLS.values()], ids=[*CONVOLUTIONS, *POOLS])
def test_as_onnxruntime(case: NodeCase):
    model = case.model()
    found = run_imported(import_model(model), case.inputs())
    for actual, wanted in zip(found, run_onnxruntime(model, case.inputs()), strict=True):
        assert_close(actual, wanted, 1e-5)


def test_unpooling_puts_elements_back():
    x = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
    pooled, indices = run_imported(
        import_model(NodeCase("MaxPool", [x], {"kernel_shape": [2, 2], "strides": [2, 2]}, outputs=2).model()), [x]
    )
    check(NodeCase("MaxUnpool", [pooled, indices], {"kernel_shape": [2, 2], "strides": [2, 2]}))


@pytest.mark.parametrize(
    ("case", "message"),
    [
        (NodeCase("Conv", [IMAGE, KERNEL], {"group": 0}), "groups"),
        (NodeCase("Conv", [IMAGE, KERNEL], {"group": 3}), "channels"),
        (NodeCase("Conv", [IMAGE, KERNEL], {"kernel_shape": [3, 3]}), "kernel_shape"),
        (NodeCase("Conv", [IMAGE, KERNEL], {"pads": [2**40] * 4}), "elements"),
        (NodeCase("Conv", [IMAGE, KERNEL], {"pads": [-1] * 4}), "pads"),
        (NodeCase("Conv", [IMAGE, KERNEL], {"strides": [0, 1]}), "strides"),
        (NodeCase("Conv", [IMAGE, KERNEL, floats(5)]), "b has shape"),
        (NodeCase("AveragePool", [IMAGE], {"kernel_shape": [20, 3]}), "kernel spans 20"),
        (NodeCase("MaxPool", [IMAGE], {"kernel_shape": [3]}), "kernel_shape"),
        (NodeCase("MaxPool", [IMAGE], {}), "required attribute 'kernel_shape'"),
        (NodeCase("Conv", [IMAGE, KERNEL], {"auto_pad": "SOME"}), "auto_pad"),
        (NodeCase("MaxUnpool", [floats(1, 1, 1), known([[[-1]]])], {"kernel_shape": [2]}), r"outside \[0, 2\)"),
    ],
)
def test_what_does_not_fit_is_refused(case: NodeCase, message: str):
    with pytest.raises((InputError, UnsupportedError), match=message) as caught:
        import_model(case.model())
    assert str(caught.value).startswith("node (")
    assert ";" in str(caught.value)


def test_four_dimensions_are_unsupported():
    with pytest.raises(UnsupportedError, match="has 4 spatial dimensions"):
        import_model(
            NodeCase("Conv", [floats(1, 1, 2, 2, 2, 2), known(np.ones((1, 1, 1, 1, 1, 1)), np.float32)]).model()
        )
