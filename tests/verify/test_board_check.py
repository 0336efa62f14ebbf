"""The figures of a network on a board."""

from s2s.analysis.cost.kernels import KernelCost, Operations
from s2s.emit.call_comments import KernelCall
from s2s.verify.board_check import BoardVerification, SummedLayer
from s2s.verify.footprint import ObjectSize
from s2s.verify.on_board import BoardRun, Layer
from s2s.verify.verification import Verification

NOTHING = ObjectSize("", 0, 0, 0, 0)


def test_the_calls_of_a_recurrent_network_are_summed_by_kernel():
    layers = (Layer("net_conv", 50), *(Layer(name, 10) for _ in range(3) for name in ("net_gates", "net_state")))
    run = BoardRun(((),), (110,), 0, layers, NOTHING, NOTHING, 0, 0)
    places = [("net_conv", "conv"), ("net_gates", "rnn"), ("net_state", "rnn"), ("net_state", "last")]
    nodes = [KernelCall(kernel, names) for kernel, names in places]
    found = BoardVerification("m4", "gcc", "cortex-m4", "O3", Verification("", "", 1, {}, True), run, nodes)
    assert found.summed_layers() == [
        SummedLayer("net_conv", "conv", 1, 50),
        SummedLayer("net_gates", "rnn", 3, 30),
        SummedLayer("net_state", "rnn; last", 3, 30),
    ]
    assert len(found.as_dict()["layers"]) == 7


def test_operations_of_kernels_are_counted_for_each_call():
    layers = (Layer("net_gates", 10), Layer("net_gates", 14))
    run = BoardRun(((),), (24,), 0, layers, NOTHING, NOTHING, 0, 0)
    costs = {"net_gates": KernelCost(Operations(floats=4, integers=2), 0, 0)}
    verification = Verification("", "", 1, {}, True)
    found = BoardVerification("m4", "gcc", "cortex-m4", "O3", verification, run, [], costs=costs)
    assert found.summed_layers() == [SummedLayer("net_gates", "", 2, 24, operations=12)]
