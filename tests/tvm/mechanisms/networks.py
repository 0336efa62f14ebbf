"""The network that programs of this folder build: one dense layer, as tutorials write it."""

from typing import Any

import numpy as np

from s2s import tvm
from s2s.tvm import relay

X = np.linspace(-1, 1, 8, dtype=np.float32).reshape(1, 8)
W = np.arange(32, dtype=np.float32).reshape(4, 8) / 32
B = np.array([1, -2, 3, -40], np.float32)
Y = np.maximum(X @ W.T + B, 0)


def dense() -> tuple[tvm.IRModule, dict[str, Any]]:
    """A module with its parameters."""
    data = relay.var("data", relay.TensorType((1, 8), "float32"))
    weight, bias = relay.var("weight", shape=(4, 8)), relay.var("bias", shape=(4,))
    net = relay.nn.relu(relay.nn.bias_add(relay.nn.dense(data, weight), bias))
    mod = tvm.IRModule.from_expr(relay.Function([data, weight, bias], net))
    return mod, {"weight": tvm.nd.array(W), "bias": tvm.nd.array(B)}


def built(**keywords: Any) -> Any:
    """The network, built for this machine."""
    mod, params = dense()
    with tvm.transform.PassContext(opt_level=3):
        return relay.build(mod, target="llvm", params=params, **keywords)
