"""Targets and devices as TVM 0.12 documents them."""

from typing import Any

import pytest

from s2s import tvm


def test_devices_are_made_by_kind():
    dev = tvm.device("cpu", 0)
    assert (dev, dev.device_type, dev.device_id, dev.exist) == (tvm.cpu(0), 1, 0, True)
    dev.sync()
    assert tvm.device("llvm", 0) == tvm.cpu(0)


def test_a_target_tells_its_kind_and_attributes():
    target = tvm.target.Target("llvm -mcpu=core-avx2")
    assert (target.kind.name, target.attrs["mcpu"], target.mcpu) == ("llvm", "core-avx2", "core-avx2")
    assert list(target.keys) == ["cpu"]
    assert tvm.target.Target(str(target)) == target


def test_a_target_is_made_of_a_dictionary_and_tells_it():
    target = tvm.target.Target({"kind": "llvm", "mcpu": "core-avx2"})
    assert target == tvm.target.Target("llvm -mcpu=core-avx2")
    assert target.export()["kind"] == "llvm"


def test_the_innermost_target_is_the_current_one():
    assert tvm.target.Target.current(allow_none=True) is None
    with tvm.target.Target("llvm"):
        with tvm.target.Target("c -mcpu=cortex-m4") as inner:
            assert tvm.target.Target.current() == inner
        outer: Any = tvm.target.Target.current()
        assert outer.kind.name == "llvm"
    with pytest.raises(ValueError, match=r"Target\.current"):
        tvm.target.Target.current(allow_none=False)


def test_a_target_has_a_host():
    target = tvm.target.Target("c -mcpu=cortex-m4", host="llvm")
    assert target.host is not None
    assert target.host.kind.name == "llvm"
