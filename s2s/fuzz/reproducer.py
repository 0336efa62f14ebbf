"""Write a failing model with its inputs as a test, and run such a test."""

import hashlib
import json
import re
from dataclasses import asdict
from pathlib import Path

import numpy as np

from s2s.fuzz.check import Failure
from s2s.fuzz.failures import failures_of
from s2s.fuzz.formats import format_of_file
from s2s.fuzz.reduce import Failing
from s2s.fuzz.variants import Variant

_TEST = '''"""Found by `s2s fuzz`: {detail}"""

from pathlib import Path

from s2s.fuzz.reproducer import replay


def test_{name}():
    assert replay(Path(__file__).with_name("{name}{suffix}")) == []
'''


def write(failing: Failing, folder: Path) -> Path:
    """Write model, inputs, variant and a test that fails as long as the model does; returns the path of the model."""
    data, suffix = failing.model.serialised(), failing.model.format.suffix
    words = "_".join(dict.fromkeys(map(str.lower, failing.model.operators)))
    operators = re.sub(r"\W", "_", words)[:60]
    name = f"{operators}_{hashlib.sha256(data).hexdigest()[:8]}"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}{suffix}"
    path.write_bytes(data)
    arrays = {name: np.frombuffer(value.tobytes(), np.uint8) for name, value in failing.inputs.items()}
    with (folder / f"{name}.npz").open("wb") as file:
        np.savez(file, **arrays)  # pyright: ignore[reportArgumentType]
    path.with_suffix(".json").write_text(json.dumps(asdict(failing.failure), indent=2) + "\n", encoding="utf-8")
    detail = failing.failure.describe().splitlines()[0].replace("\\", "").replace('"', "'")
    (folder / f"test_{name}.py").write_text(
        _TEST.format(detail=detail[:80], name=name, suffix=suffix), encoding="utf-8"
    )
    return path


def replay(path: Path) -> list[Failure]:
    """The failures of a model that `write` has written."""
    model = format_of_file(path).read(path.read_bytes())
    with np.load(path.with_suffix(".npz")) as stored:
        inputs = model.read_inputs(stored)
    variant = Variant(**json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))["variant"])
    return failures_of(model, inputs, model.evaluate(inputs), variant)
