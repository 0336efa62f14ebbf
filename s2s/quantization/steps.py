"""Put samples through the steps before a network (`--pre`), as the graph interpreter computes them.

The network reads what the steps give, and the steps are built around the model when it is compiled: so the ranges of
activations come from the same numbers as on the device.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper

from s2s.data.specs import InputSpec, Samples
from s2s.frontends.features.registry import rate_of
from s2s.frontends.model import read
from s2s.interpret.graph import initial_state, run_graph
from s2s.options import CompileOptions
from s2s.support import progress
from s2s.types.dtypes import Array


class Steps:
    """The steps of `--pre` in front of the inputs of a model."""

    def __init__(self, inputs: Sequence[InputSpec], pre: Sequence[str]) -> None:
        self._wanted = inputs
        self._model = read(_passing(inputs), CompileOptions(pre=tuple(pre)))
        main = self._model.names
        ports = _ports(self._model.module)
        self.inputs = [
            InputSpec(name, dtype, shape, rate_of(name, len(inputs), pre))
            for name, (dtype, shape) in zip(main.inputs, ports, strict=True)
        ]
        """What the first steps take."""

    def through(self, samples: Samples) -> Samples:
        """Return what the steps make of samples; each begins with steps that remember nothing."""
        rows = list(self._computed(samples))
        arrays = {
            spec.name: np.stack([row[place].reshape(spec.constant_shape(spec.name)) for row in rows])
            for place, spec in enumerate(self._wanted)
        }
        return Samples(arrays, samples.count, samples.labels, samples.classes, samples.names)

    def _computed(self, samples: Samples) -> Iterable[Sequence[Array]]:
        module, weights = self._model.module, self._model.weights
        for number, sample in enumerate(samples, 1):
            progress.step(f"computing --pre of sample {number} of {samples.count}")
            state = initial_state(module, weights)
            yield run_graph(module, [sample[spec.name] for spec in self.inputs], weights, state=state)


def _passing(inputs: Sequence[InputSpec]) -> onnx.ModelProto:
    """Return a model whose outputs are its inputs."""
    values: list[Any] = []
    for spec in inputs:
        shape = spec.constant_shape("--pre")
        element = helper.np_dtype_to_tensor_dtype(spec.dtype)
        names = spec.name, f"{spec.name}/passed"
        values.append([helper.make_tensor_value_info(name, element, shape) for name in names])
    nodes = [helper.make_node("Identity", [taken.name], [passed.name]) for taken, passed in values]
    graph = helper.make_graph(nodes, "steps", [pair[0] for pair in values], [pair[1] for pair in values])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


def _ports(module: Any) -> list[tuple[np.dtype[Any], tuple[int, ...]]]:
    """Return the type and shape of each input of a network, without what steps keep from run to run."""
    from s2s.analysis.network.functions import input_numbers, main_of
    from s2s.types.dtypes import as_tensor_type, to_numpy

    main = main_of(module)
    types = [as_tensor_type(main.body.block.args[number].type) for number in input_numbers(main)]
    return [(np.dtype(to_numpy(type.element_type)), type.get_shape()) for type in types]
