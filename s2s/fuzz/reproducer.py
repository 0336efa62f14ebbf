"""Write a failing model with its inputs as a test, and run such a test."""

import hashlib
import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import onnx

from s2s.fuzz.check import Failure
from s2s.fuzz.oracle import evaluate_model
from s2s.fuzz.reduce import Failing
from s2s.fuzz.sizes import failures_of
from s2s.fuzz.variants import Variant
from s2s.types.dtypes import Array

_TEST = '''"""Found by `s2s fuzz`: {detail}"""

from pathlib import Path

from s2s.fuzz.reproducer import replay


def test_{name}():
    assert replay(Path(__file__).with_name("{name}.onnx")) == []
'''


def write(failing: Failing, folder: Path) -> Path:
    """Write model, inputs, variant and a test that fails as long as the model does; returns the path of the model."""
    data = failing.model.SerializeToString(deterministic=True)
    operators = "_".join(dict.fromkeys(node.op_type.lower() for node in failing.model.graph.node))[:60]
    name = f"{operators}_{hashlib.sha256(data).hexdigest()[:8]}"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.onnx"
    path.write_bytes(data)
    arrays = {name: np.frombuffer(value.tobytes(), np.uint8) for name, value in failing.inputs.items()}
    with (folder / f"{name}.npz").open("wb") as file:
        np.savez(file, **arrays)  # pyright: ignore[reportArgumentType]
    path.with_suffix(".json").write_text(json.dumps(asdict(failing.failure), indent=2) + "\n", encoding="utf-8")
    detail = failing.failure.describe().splitlines()[0].replace("\\", "").replace('"', "'")
    (folder / f"test_{name}.py").write_text(_TEST.format(detail=detail[:80], name=name), encoding="utf-8")
    return path


def replay(path: Path) -> list[Failure]:
    """The failures of a model that `write` has written."""
    model = onnx.load_model_from_string(path.read_bytes())
    with np.load(path.with_suffix(".npz")) as stored:
        inputs = {each.name: _read(each, stored[each.name]) for each in model.graph.input}
    variant = Variant(**json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))["variant"])
    return failures_of(model, inputs, evaluate_model(model, inputs), variant)


def _read(port: onnx.ValueInfoProto, data: Array) -> Array:
    tensor = port.type.tensor_type
    dtype = onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type)
    return np.frombuffer(data.tobytes(), dtype).reshape([each.dim_value for each in tensor.shape.dim])
