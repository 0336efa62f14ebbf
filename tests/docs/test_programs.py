"""Every program in the pages about how to do something runs, with small networks in place of the reader's.

Those that are not run are listed, with the tests that run the like. The tutorials' programs run with the commands of
their pages (`test_commands.py`).
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from s2s.frontends.tflite.writer import TensorSpec, single
from support.pages import prepare, programs
from support.project import ROOT

pytestmark = pytest.mark.xdist_group("docs")

PAGES = (ROOT / "README.md", ROOT / "docs" / "stages.md", *sorted((ROOT / "docs" / "how-to").glob("*.md")))
NOT_RUN = {
    "autotvm": "measures hundreds of candidates; tests/autotvm",
    "farm": "wants a farm; tests/farm",
    "tune": "measures hundreds of candidates; tests/tuning",
}
"""Pages whose programs are not run here, with the reason and the tests that run the like."""
MODULE = """
import torch
class Double(torch.nn.Module):
    def forward(self, x):
        return x + x
module = model = Double()
x = example = torch.ones(1, 4)
"""
BEFORE = {
    "README": "import numpy as np; x = np.ones((1, 4), np.float32)",
    "add-an-operator": """
import numpy as np, s2s
from s2s.tvm import relay
from s2s.frontends.builder import emit
from snake import SnakeOp
""",
    "pytorch": MODULE,
    "quantise": "import numpy as np; images = np.load('calibration.npz')['image']",
    "scikit-learn": """
import numpy as np, s2s
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
x = np.random.default_rng(0).standard_normal((40, 6)).astype(np.float32)
y = (x.sum(1) > 0).astype(int)
""",
    "streams": "import numpy as np; frame = np.ones((1, 4), np.float32)",
}
"""What the reader of a page has before its programs begin."""
TVM_PAGES = (
    "autotvm",
    "coming-from-tvm",
    "external-code-generators",
    "runtime",
    "several-devices",
    "tensor-expressions",
)
"""Pages whose programs each run alone, as a reader pastes them."""
NEEDS = {"pytorch": ("torch",), "scikit-learn": ("sklearn", "skl2onnx")}
"""Packages that a page tells its reader to install."""


def run_alone(page: Path) -> list[str]:
    """The programs of a page that can be run; a mark of omission stands for text of the reader's."""
    return [each for each in programs(page) if "…" not in each] if page.stem not in NOT_RUN else []


def remembering() -> bytes:
    """A TFLite model with state: the last three frames, weighted."""
    tensors = [
        TensorSpec("input", (1, 4)),
        TensorSpec("feature", (2, 4), data=np.ones((2, 4), np.float32)),
        TensorSpec("time", (2, 3), data=np.ones((2, 3), np.float32)),
        None,
        TensorSpec("state", (1, 6), "FLOAT32", is_variable=True),
    ]
    return single("SVDF", tensors, [TensorSpec("y", (1, 2))], "SVDFOptions", rank=1, fused_activation_function=0)


@pytest.mark.sample(8)
@pytest.mark.parametrize("page", [page for page in PAGES if run_alone(page)], ids=lambda page: page.stem)
def test_the_programs_of_a_page_run(page: Path, tmp_path: Path):
    for package in NEEDS.get(page.stem, ()):
        pytest.importorskip(package)
    prepare(tmp_path)
    for name in ("digits.onnx", "calibration.npz"):
        shutil.copy(ROOT / "examples" / "digits" / name, tmp_path)
    shutil.copy(ROOT / "tests" / "operators" / "snake_package" / "snake.py", tmp_path)
    (tmp_path / "wake.tflite").write_bytes(remembering())
    program = tmp_path / "program.py"
    program.write_text("\n".join([BEFORE.get(page.stem, ""), *run_alone(page)]), encoding="utf-8")
    environment = {**os.environ, "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, program.name], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def alone() -> list[tuple[str, str]]:
    """The programs of pages that programs of TVM lead to, each with its page."""
    pages = {page.stem: page for page in PAGES}
    return [(stem, program) for stem in TVM_PAGES for program in programs(pages[stem]) if "n_trial" not in program]


@pytest.mark.parametrize(("stem", "program"), alone(), ids=[f"{stem} {at}" for at, (stem, _) in enumerate(alone())])
def test_a_program_runs_when_it_is_pasted(stem: str, program: str, tmp_path: Path):
    if "kernels.log" in program:
        compile(program, f"{stem}.md", "exec")  # its log is of a search of hours
        return
    shutil.copy(ROOT / "examples" / "digits" / "digits.onnx", tmp_path)
    prepare(tmp_path)
    (tmp_path / "pasted.py").write_text(program, encoding="utf-8")
    environment = {**os.environ, "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "pasted.py"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("stem", [*NOT_RUN, *BEFORE])
def test_pages_that_are_named_have_programs(stem: str):
    (page,) = (each for each in PAGES if each.stem == stem)
    assert programs(page)


def test_what_is_left_out_of_a_page_is_marked():
    assert not re.search(r"^\s+\.\.\.$", "".join("".join(run_alone(page)) for page in PAGES), re.MULTILINE)
