"""The same model gives the same bytes, whatever the process around the compiler looks like."""

import os
import subprocess
import sys
from pathlib import Path

from support.project import ROOT

MODEL = ROOT / "examples" / "digits" / "digits.onnx"
PROGRAM = """
import sys, s2s
model, folder, *executors = sys.argv[1:]
for executor in executors:
    s2s.compile(model, executor=executor, weights="incbin").write(f"{folder}/{executor}")
"""


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_two_processes_write_the_same_bytes(tmp_path: Path):
    surroundings = [
        (ROOT, {"PYTHONHASHSEED": "1", "LC_ALL": "C", "TZ": "UTC"}),
        (tmp_path, {"PYTHONHASHSEED": "2", "LC_ALL": "de_DE.UTF-8", "TZ": "Asia/Kathmandu", "COLUMNS": "20"}),
    ]
    written: list[dict[str, bytes]] = []
    for number, (folder, variables) in enumerate(surroundings):
        tree = tmp_path / str(number)
        command = [sys.executable, "-c", PROGRAM, str(MODEL), str(tree), "aot", "graph"]
        subprocess.run(command, cwd=folder, env={**os.environ, **variables}, check=True)
        written.append(files(tree))
    assert {name.partition("/")[0] for name in written[0]} == {"aot", "graph"}
    assert sorted(written[0]) == sorted(written[1])
    assert {name for name, data in written[0].items() if data != written[1][name]} == set()
