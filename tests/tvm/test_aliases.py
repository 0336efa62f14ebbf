"""`import tvm` finds this package where a program asks for that, and both names are one module."""

import importlib
import subprocess
import sys

import pytest

from s2s import tvm

PROGRAM = """
from s2s import tvm as ours
{before}
ours.alias()
import tvm
import tvm.relay.testing
from tvm import relay, te
from tvm.contrib import graph_executor
assert tvm is ours and tvm.relay is relay is ours.relay and te is ours.te
assert graph_executor is ours.contrib.graph_executor
assert relay.__spec__.name == "s2s.tvm.relay", relay.__spec__
"""


def test_the_call_is_a_function_of_the_package():
    assert tvm.alias.__module__ == "s2s.tvm.aliases"


def test_a_process_may_call_it_and_import(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    before = set(sys.modules)
    try:
        tvm.alias()
        assert importlib.import_module("tvm.relay") is tvm.relay
    finally:
        for name in set(sys.modules) - before:
            del sys.modules[name]


@pytest.mark.parametrize("before", ["", "import s2s.tvm.relay"])
def test_both_names_are_one_module(before: str):
    subprocess.run([sys.executable, "-c", PROGRAM.format(before=before)], check=True)


def test_modules_inside_of_packages_are_found():
    program = """
from s2s import tvm as ours
from s2s.tvm.aliases import INSIDE
import importlib
ours.alias()
for inside, outside in INSIDE.items():
    assert importlib.import_module(f"tvm.{inside}") is importlib.import_module(f"s2s.tvm.{outside}")
from tvm.autotvm.measure.measure_methods import LocalRunner
from tvm.autotvm.task.topi_integration import register_topi_compute
from tvm.relay.op.nn import conv2d
assert conv2d is ours.relay.nn.conv2d
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_another_tvm_is_not_replaced():
    program = "import sys, types; sys.modules['tvm'] = types.ModuleType('tvm'); import s2s; s2s.tvm.alias()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "another tvm has been imported" in done.stderr


def test_without_the_call_there_is_no_tvm():
    program = "import s2s.tvm.relay, importlib.util; assert importlib.util.find_spec('tvm') is None"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_module_that_there_is_not_is_refused_with_the_reason():
    program = """
from s2s import tvm as ours
ours.alias()
import tvm.auto_scheduler
from tvm.relay.op.contrib.ethosn import ethosn_available
from tvm.contrib.target import vitis_ai
print(ethosn_available(), vitis_ai.vitis_ai_available())
tvm.relay.op.contrib.ethosn.partition_for_ethosn(None)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "False False\n"
    assert "UnsupportedError: tvm.relay.op.contrib.ethosn: external code generators are registered by" in done.stderr
    program = "from s2s import tvm; tvm.alias(); import tvm.nobody_knows"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "ModuleNotFoundError" in done.stderr
