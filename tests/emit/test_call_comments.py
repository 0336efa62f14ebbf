"""The nodes of a model that the calls of kernels in C compute."""

from s2s.compilation import Compilation
from s2s.emit.call_comments import kernel_calls
from s2s.options import CompileOptions
from support.onnx_text import onnx_model

RECURRENT = """(float[3, 1, 2] x) => (float[3, 1, 1, 2] y) <
    float[1, 6, 2] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
    float[1, 6, 2] r = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
> {
    y, h = GRU <hidden_size = 2> (x, w, r)
}"""


def test_calls_in_the_loop_of_a_layer_compute_that_layer():
    model = onnx_model(RECURRENT)
    model.graph.node[0].name = "rnn"
    calls = kernel_calls(Compilation(model, CompileOptions(target="c")).at("c").module)
    assert len(calls) > 1
    assert {call.nodes for call in calls} == {"rnn"}
