"""Compiled networks that call packed functions of Python leave nothing behind, exceptions included."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from s2s.tvm import relay
from s2s.tvm.relay import build
from support.c_compilers import require, require_sanitizers
from support.packed_leaks import RUNS
from support.project import ROOT


def test_nothing_leaks_under_the_address_sanitizer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The networks, the runtime of packed functions and Python are one process."""
    require_sanitizers("gcc", tmp_path)
    gcc = require("gcc")
    monkeypatch.setenv("CC", f"{gcc} -fsanitize=address")
    x = relay.var("x", shape=(4,))
    small, large = relay.call_dps_packed("leaks.split", relay.tanh(x), [("float32", (4,)), ("float32", (4,))])
    mod = relay.IRModule.from_expr(relay.add(small, large))
    build(mod, "c", executor="aot", mod_name="net").write(tmp_path / "tree")
    build(mod, "c").export_library(tmp_path / "net.so")
    name = [gcc, "-print-file-name=libasan.so"]
    environment = {
        **os.environ,
        "ASAN_OPTIONS": "detect_leaks=0",  # leaks are counted: at its end Python leaves memory to the system
        "LD_PRELOAD": subprocess.run(name, capture_output=True, text=True, check=True).stdout.strip(),
        "PYTHONMALLOC": "malloc",
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")]),
    }
    program = [sys.executable, "-m", "support.packed_leaks", str(tmp_path / "tree"), str(tmp_path / "net.so")]
    done = subprocess.run(program, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["bytes"].pop("kept on purpose") > 64 * RUNS
    # A run that leaks an object leaves 16 bytes or more.
    assert {name: left for name, left in found["bytes"].items() if left >= 8 * RUNS} == {}
    assert (found["references"], found["held"], found["given"]) == (0, 0, 0)
