"""Small functions of the driver that programs import by their modules."""

import argparse
from pathlib import Path

import numpy as np
import pytest

from s2s import tvm
from s2s.errors import UnsupportedError
from s2s.tvm import relay
from s2s.tvm.driver import tvmc
from s2s.tvm.driver.tvmc.main import _main
from s2s.tvm.driver.tvmc.model import TVMCResult
from s2s.tvm.driver.tvmc.result_utils import get_top_results
from s2s.tvm.driver.tvmc.shape_parser import parse_shape_string
from s2s.tvm.runtime import nd


def test_shapes_have_names_with_dots_and_slashes():
    shapes = parse_shape_string("gpu_0/x:0: [1, 3,-1] y.1:[2],z:[4,4]")
    assert {name: [size if isinstance(size, int) else "?" for size in sizes] for name, sizes in shapes.items()} == {
        "gpu_0/x:0": [1, 3, "?"],
        "y.1": [2],
        "z": [4, 4],
    }
    with pytest.raises(argparse.ArgumentTypeError, match="has no shape; write"):
        parse_shape_string("x:1,3")


def test_the_largest_values_come_with_their_places():
    result = TVMCResult({"output_0": nd.array(np.array([[1, 7, 3, 5]], np.float32))}, None)
    assert get_top_results(result, 2).tolist() == [[1, 3], [7, 5]]


def test_the_command_line_is_a_function():
    with pytest.raises(UnsupportedError, match="s2s tvmc micro build: project servers of TVM are not run"):
        _main(["micro", "build"])


def test_shapes_of_a_text_are_those_that_it_states(tmp_path: Path):
    x = relay.var("x", shape=(1, 4))
    (tmp_path / "net.relay").write_text(tvm.IRModule.from_expr(relay.nn.relu(x)).astext())
    assert tvmc.load(tmp_path / "net.relay", shape_dict={"x": [1, 4]}).params == {}
    with pytest.raises(tvmc.TVMCException, match=r"x: is \[1, 4\] in the text; give that shape"):
        tvmc.load(tmp_path / "net.relay", shape_dict={"x": [2, 4]})
    with pytest.raises(tvmc.TVMCException, match="y: is no input of the text"):
        tvmc.load(tmp_path / "net.relay", shape_dict={"y": [2, 4]})
