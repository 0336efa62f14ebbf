"""A composite of StableHLO stands for the graph that decomposes it, as it does for kernels that know no better."""

import numpy as np

from s2s.frontends.tflite import import_model
from s2s.interpret.graph.run import run_graph
from support.tflite_models import GraphSpec, OperatorSpec, TensorSpec, model


def test_a_composite_is_its_decomposition():
    tensors = [TensorSpec("x", (2, 3)), TensorSpec("y", (2, 3))]
    options = {"name": "square", "decomposition_subgraph_index": 1}
    composite = OperatorSpec("STABLEHLO_COMPOSITE", ["x"], ["y"], "StableHLOCompositeOptions", options)
    decomposition = OperatorSpec("MUL", ["x", "x"], ["y"], "MulOptions")
    data = model([GraphSpec(tensors, [composite], ["x"], ["y"]), GraphSpec(tensors, [decomposition], ["x"], ["y"])])
    x = np.random.default_rng(0).standard_normal((2, 3)).astype(np.float32)
    imported = import_model(data)
    [found] = run_graph(imported.module, [x], imported.weights)
    np.testing.assert_array_equal(found, x * x)
