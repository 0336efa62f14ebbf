"""Workloads are whole networks: the interpreter runs them with their parameters."""

import numpy as np
import pytest

from s2s.executor.ndarray import NDArray
from s2s.interpret.graph import run_graph
from s2s.tvm import relay
from s2s.tvm.relay import IRModule, bind_params_by_name, testing

Workload = tuple[IRModule, dict[str, NDArray]]

WORKLOADS: dict[str, tuple[Workload, tuple[int, ...], tuple[int, ...]]] = {
    "mlp": (testing.mlp.get_workload(2), (2, 1, 28, 28), (2, 10)),
    "resnet of small images": (testing.resnet.get_workload(1, 10, 8, (3, 32, 32)), (1, 3, 32, 32), (1, 10)),
    "resnet with bottlenecks": (testing.resnet.get_workload(1, 5, 50, (3, 64, 64)), (1, 3, 64, 64), (1, 5)),
    "mobilenet": (testing.mobilenet.get_workload(1, 7, (3, 64, 64), alpha=0.25), (1, 3, 64, 64), (1, 7)),
    "lstm": (testing.lstm.get_workload(3, 8, 2), (2, 8), (2, 8)),
}


@pytest.mark.parametrize("name", WORKLOADS)
def test_a_workload_runs(name: str):
    (mod, params), given, wanted = WORKLOADS[name]
    bound = bind_params_by_name(mod, params)
    bound.module.verify()
    [y] = run_graph(bound.module, [np.random.default_rng(0).random(given, np.float32)], bound.weights)
    assert y.shape == wanted
    assert np.isfinite(y).all()


def test_layouts_of_mobilenet_compute_the_same():
    mod, params = testing.mobilenet.get_workload(1, 4, (3, 32, 32), alpha=0.25)
    last, _ = testing.mobilenet.get_workload(1, 4, (3, 32, 32), alpha=0.25, layout="NHWC")
    x = np.random.default_rng(0).random((1, 3, 32, 32), np.float32)
    moved = {name: value.transpose(2, 3, 1, 0) if value.ndim == 4 else value for name, value in params.items()}
    first, second = bind_params_by_name(mod, params), bind_params_by_name(last, moved)
    [y] = run_graph(first.module, [x], first.weights)
    [z] = run_graph(second.module, [np.asarray(x.transpose(0, 2, 3, 1), order="C")], second.weights)
    np.testing.assert_allclose(y, z, rtol=1e-4, atol=1e-6)


def test_parameters_are_arrays_of_tvm_and_older_names_build():
    mod, params = relay.testing.mlp.get_workload(1)
    assert params["fc1_weight"].numpy().shape == (128, 784)
    with relay.build_config(opt_level=3):
        graph, library, weights = relay.build_module.build(mod, "llvm", params=params)
    assert graph
    assert library is not None
    assert weights is not None
