"""The same model gives the same bytes, whatever the process around the compiler looks like."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from s2s.options import Executor
from support.project import ROOT

MODEL = ROOT / "examples" / "digits" / "digits.onnx"
PROGRAM = "import sys, s2s; s2s.compile(sys.argv[1], executor=sys.argv[2], weights='incbin').write(sys.argv[3])"


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("executor", ["aot", "graph"])
def test_two_processes_write_the_same_bytes(executor: Executor, tmp_path: Path):
    surroundings = [
        (ROOT, {"PYTHONHASHSEED": "1", "LC_ALL": "C", "TZ": "UTC"}),
        (tmp_path, {"PYTHONHASHSEED": "2", "LC_ALL": "de_DE.UTF-8", "TZ": "Asia/Kathmandu", "COLUMNS": "20"}),
    ]
    written: list[dict[str, bytes]] = []
    for number, (folder, variables) in enumerate(surroundings):
        tree = tmp_path / str(number)
        command = [sys.executable, "-c", PROGRAM, str(MODEL), executor, str(tree)]
        subprocess.run(command, cwd=folder, env={**os.environ, **variables}, check=True)
        written.append(files(tree))
    assert list(written[0]) != []
    assert sorted(written[0]) == sorted(written[1])
    assert {name for name, data in written[0].items() if data != written[1][name]} == set()
