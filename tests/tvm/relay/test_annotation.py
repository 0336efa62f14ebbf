"""`on_device`: networks of relay that say where their parts run."""

import numpy as np
import pytest

import s2s
from s2s.errors import InputError
from s2s.tvm import relay
from s2s.tvm.relay.annotation import on_device
from s2s.tvm.relay.expr import Expr
from s2s.tvm.relay.function import Function


def network(first: str | None = "dsp", second: str | None = None) -> Function:
    """Two layers, each on the device that is given."""
    x, w, v = relay.var("x", shape=(1, 8)), relay.const(_weights(0)), relay.const(_weights(1))
    hidden: Expr = relay.nn.relu(relay.nn.dense(x, w))
    hidden = hidden if first is None else on_device(hidden, first)
    y: Expr = relay.nn.softmax(relay.nn.dense(hidden, v))
    return Function([x], y if second is None else on_device(y, second))


def _weights(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((8, 8)).astype(np.float32)


def placed(function: Function) -> dict[str, str]:
    """The device of each node."""
    library = relay.build(function, target="c", executor="aot", devices={"dsp": {}, "npu": {}})
    decisions = library.artifact.decisions.entries
    return {each.nodes: each.chosen for each in decisions if each.kind == "device"}


def test_an_annotation_reaches_up_to_the_inputs():
    assert placed(network()) == {"matmul_0": "dsp", "clamp_0": "dsp", "matmul_1": "main", "softmax_0": "main"}


def test_an_annotation_ends_at_another_one():
    found = placed(network("dsp", "npu"))
    assert found == {"matmul_0": "dsp", "clamp_0": "dsp", "matmul_1": "npu", "softmax_0": "npu"}


def test_an_annotated_network_gives_the_bits_of_one_device():
    x = np.linspace(-1, 1, 8, dtype=np.float32).reshape(1, 8)
    two = relay.build(network(), target="c", executor="aot", mod_name="net", devices={"dsp": {}})
    one = relay.build(network(None), target="c", executor="aot", mod_name="net")
    assert two.artifact.run({"x": x})["output"].tobytes() == one.artifact.run({"x": x})["output"].tobytes()


def test_the_operators_that_read_a_constrained_result_run_there():
    x = relay.var("x", shape=(1, 8))
    hidden = on_device(relay.nn.softmax(x), "dsp", constrain_result=True, constrain_body=False)
    assert placed(Function([x], relay.nn.softmax(hidden))) == {"softmax_0": "main", "softmax_1": "dsp"}


def test_the_first_device_is_called_cpu_too():
    x = relay.var("x", shape=(1, 8))
    y = on_device(relay.nn.softmax(on_device(relay.exp(x), "dsp")), s2s.cpu())
    assert placed(Function([x], y)) == {"exp_0": "dsp", "softmax_0": "main"}


def test_an_annotation_survives_text():
    module = s2s.IRModule.from_expr(network())
    assert 'on_device = {clamp_0 = "dsp", matmul_0 = "dsp"}' in str(module.module).replace("\n", "")


def test_an_operator_on_two_devices_is_refused():
    x = relay.var("x", shape=(1, 8))
    shared = relay.exp(x)
    both = relay.Tuple([on_device(relay.nn.softmax(shared), "dsp"), on_device(relay.negative(shared), "npu")])
    with pytest.raises(InputError, match="exp would run on dsp and on npu; annotate"):
        s2s.IRModule.from_expr(Function([x], both)).module.verify()


def test_a_device_that_there_is_not_is_refused():
    with pytest.raises(InputError, match=r"on_device asks for dsp, and the devices are main; add dsp to devices="):
        relay.build(network(), target="c")
