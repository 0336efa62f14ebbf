"""The benchmark of float16: what its conversions cost on a Cortex-M4."""

from onnx import TensorProto

from benchmarks.halves import Halves, convolutions, instructions
from benchmarks.networks.builder import Network
from support.boards import board_or_skip


def test_convolutions_of_halves_cost_little_more_than_those_of_floats() -> None:
    board_or_skip("qemu:m4")
    floats = instructions(convolutions(Network("net"), TensorProto.FLOAT), "m4", integers=False)
    halves, in_integers = (
        instructions(convolutions(Halves("net"), TensorProto.FLOAT16), "m4", integers=integers)
        for integers in (False, True)
    )
    assert halves < 1.6 * floats < 3 * floats < in_integers
