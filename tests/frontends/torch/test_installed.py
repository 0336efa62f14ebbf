"""Tell where the tests of this folder are left out."""

import importlib.util
import os

import pytest

from support.c_compilers import EVERYTHING


def test_torch_is_installed():
    if importlib.util.find_spec("torch") is None and not os.environ.get(EVERYTHING):
        pytest.skip("torch is not installed: all tests of its frontend are left out; pip install torch")
    assert importlib.util.find_spec("torch") is not None
