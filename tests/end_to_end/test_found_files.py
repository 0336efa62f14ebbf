"""Files of strangers that broke devices, templates and commands: right now, or told in one line."""

from pathlib import Path

import numpy as np
import pytest

from s2s import api
from s2s.cli.main import run
from support.project import SHARED

FOUND = SHARED / "models" / "found"

pytestmark = pytest.mark.skipif(not FOUND.is_dir(), reason="the models that broke something are not there")


@pytest.mark.parametrize("name", ["state", "unused_input"])
def test_devices_are_placed_by_cost(name: str):
    device = {"target": "cortex-m4", "placement": "cost", "clock": 8.0}
    file = FOUND / f"devices_cost_{name}.onnx"
    with api.compile(file, target="c", devices={"dsp": device}) as two, api.compile(file, target="c") as one:
        assert two.verify().passed
        shapes = {port.name: port.shape for port in one.info.inputs}
        given = {port: np.random.default_rng(0).standard_normal(shape).astype("f4") for port, shape in shapes.items()}
        for (name, found), expected in zip(two.run(given).items(), one.run(given).values(), strict=True):
            np.testing.assert_array_equal(found, expected, err_msg=name)


@pytest.mark.parametrize("name", ["loop", "memory"])
def test_a_hostile_template_is_told_in_one_line(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run(["compile", str(FOUND / f"template_{name}.gguf"), "--target", "c", "--no-write"]) in (0, 1, 2)
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("name", ["loop", "memory"])
def test_inspect_reads_gguf(name: str, capsys: pytest.CaptureFixture[str]):
    assert run(["inspect", str(FOUND / f"template_{name}.gguf")]) == 0
    assert "multiply-adds" in capsys.readouterr().out
