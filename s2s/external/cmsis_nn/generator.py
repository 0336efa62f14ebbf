"""Layers of 8-bit integers by CMSIS-NN: convolutions, fully connected layers, pooling, sums, products, and softmax.

`CMSIS_NN_PATH` names a checkout of the library when the tree is built; none of its files is part of s2s. Its functions
compute what TFLite's reference kernels do, with two roundings, so only `rounding = "double"` is claimed.

    convolution        rescale(conv(x, w, b))                arm_convolve_wrapper_s8, w as [O, KH, KW, C]
    depthwise          rescale(conv(x, w, b))                arm_depthwise_conv_wrapper_s8, w as [KH, KW, O]
    fully_connected    rescale(matmul(x, w) + b)             arm_fully_connected_s8, w as [O, C]
    average_pool       avg_pool(x)                           arm_avgpool_s8
    max_pool           max_pool(x)                           arm_max_pool_s8
    add                rescale(rescale(a) + rescale(b))      arm_elementwise_add_s8
    multiply           rescale((a - za) * (b - zb))          arm_elementwise_mul_s8
    softmax            TFLite's integer softmax of rows      arm_softmax_s8

Weights, biases, multipliers and shifts are constants in the library's layout. Scratch is what the library's functions
`…_get_buffer_size` ask for, on the core of the target.
"""

from collections.abc import Sequence

from s2s.external.cmsis_nn import convolution, dense, elementwise, pooling, softmax
from s2s.external.cmsis_nn.costs import library_cost, own_cost
from s2s.external.cmsis_nn.function import Function
from s2s.external.generator import Code, CodeGenerator, Composite, Region
from s2s.external.pattern import Pattern
from s2s.targets import Target

HEADERS = ('"arm_nnfunctions.h"',)
FUNCTIONS: tuple[Function, ...] = (
    convolution.DEPTHWISE,
    convolution.CONVOLUTION,
    dense.FULLY_CONNECTED,
    pooling.AVERAGE_POOL,
    pooling.MAX_POOL,
    elementwise.ADD,
    elementwise.MULTIPLY,
    softmax.SOFTMAX,
)


class CmsisNn(CodeGenerator):
    """Functions `…_s8` of CMSIS-NN."""

    name = "cmsis-nn"
    include = ("$CMSIS_NN_PATH/Include",)
    sources = tuple(
        f"$CMSIS_NN_PATH/Source/{folder}"
        for folder in (
            "BasicMathFunctions/*_s8.c",
            "ConvolutionFunctions/*_s8*.c",
            "FullyConnectedFunctions/*_s8*.c",
            "PoolingFunctions/*_s8.c",
            "SoftmaxFunctions/*_s8.c",
            "NNSupportFunctions/arm_nn_[a-km-z]*_s8*.c",
            "NNSupportFunctions/arm_[qs][78]_to_*.c",
            "TransposeFunctions/*_s8.c",
        )
    )

    def patterns(self) -> Sequence[tuple[str, Pattern]]:
        return [(function.name, function.pattern) for function in FUNCTIONS]

    def unsupported(self, composite: Composite, target: Target) -> str | None:
        return _function(composite).refused(composite)

    def cost(self, composite: Composite, target: Target) -> float | None:
        return library_cost(composite, target)

    def own_cost(self, composite: Composite, target: Target) -> float | None:
        return own_cost(composite, target)

    def code(self, region: Region, target: Target) -> Code:
        (step,) = region.steps
        made = _function(step.composite).code(step, target)
        return Code(
            made.body,
            headers=HEADERS,
            constants=made.constants,
            replaced=frozenset(region.constants),
            scratch=made.scratch,
        )


def _function(composite: Composite) -> Function:
    """The function of the library that computes a composite."""
    return next(function for function in FUNCTIONS if function.name == composite.pattern)
