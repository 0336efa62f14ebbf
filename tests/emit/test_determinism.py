"""The same model, options and version give the same bytes, wherever and by whomever they are compiled."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.project import ROOT

MODEL = ROOT / "examples" / "digits" / "digits.onnx"
PROGRAM = """
import hashlib, sys
import s2s
from s2s.emit.stream import pieces

tree = s2s.compile(sys.argv[1], executor=sys.argv[2]).tree()
for path, content in tree.files.items():
    digest = hashlib.sha256()
    for piece in pieces(content):
        digest.update(piece)
    print(path, digest.hexdigest())
"""
HERE = {"PYTHONHASHSEED": "1", "LC_ALL": "C", "TZ": "UTC", "USER": "one"}
ELSEWHERE = {
    "PYTHONHASHSEED": "2",
    "LC_ALL": "tr_TR.UTF-8",
    "TZ": "Asia/Tokyo",
    "USER": "two",
    "SOURCE_DATE_EPOCH": "1",
}


def digests(folder: Path, environment: dict[str, str], executor: str) -> str:
    command = [sys.executable, "-c", PROGRAM, str(MODEL), executor]
    return subprocess.run(
        command, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, check=True
    ).stdout


@pytest.mark.parametrize("executor", ["aot", "graph"])
def test_two_processes_write_the_same_bytes(tmp_path: Path, executor: str) -> None:
    first = digests(tmp_path, HERE, executor)
    assert first == digests(ROOT, ELSEWHERE, executor)
    assert first.count("\n") > 15
