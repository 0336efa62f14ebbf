"""One model beside onnxruntime in the same process: both on one thread, in turns, on the same inputs."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import onnx

from benchmarks.engines import Variant, build, relative_difference
from benchmarks.timing import Call, fastest
from s2s.types.dtypes import Array


@dataclass(frozen=True)
class Outcome:
    """Seconds of one run of each, and how far apart their results are."""

    ours: float
    theirs: float
    difference: float

    @property
    def ratio(self) -> float:
        """To onnxruntime."""
        return self.ours / self.theirs


def measure(
    model: onnx.ModelProto,
    rounds: int,
    seconds: float,
    variant: Variant | None = None,
    inputs: Mapping[str, Array] | None = None,
) -> Outcome:
    """Build `model` for this machine, unless another variant is named, and run it beside onnxruntime.

    Inputs are made up unless they are given.
    """
    onnxruntime: Any = import_module("onnxruntime")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3  # a warning in each run takes time
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{model.graph.name}.onnx"
        path.write_bytes(model.SerializeToString())
        built = build(path, variant or Variant("host"), inputs)
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    with built.network:
        binding = session.io_binding()
        for name, value in built.inputs.items():
            binding.bind_ortvalue_input(name, onnxruntime.OrtValue.ortvalue_from_numpy(value))
        for result in session.get_outputs():
            binding.bind_output(result.name)
        session.run_with_iobinding(binding)
        expected: Sequence[Array] = binding.copy_outputs_to_cpu()
        difference = relative_difference(expected, built.outputs())
        calls: dict[str, Call] = {"ours": built.bound.call, "theirs": lambda: session.run_with_iobinding(binding)}
        found = fastest(calls, rounds, seconds)
    return Outcome(found["ours"], found["theirs"], difference)
