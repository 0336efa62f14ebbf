"""Pairs of inputs and outputs that look like state."""

import pytest
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr, TensorType, f32
from xdsl.dialects.func import FuncOp

from s2s.analysis.network.state_pairs import state_pairs

X, H = TensorType(f32, [1, 4]), TensorType(f32, [1, 8])


def network(inputs: str, outputs: str) -> FuncOp:
    """A function whose inputs and outputs are of type `H`, but for those called `x` and `y`."""
    names = inputs.split(), outputs.split()
    types = [[X if name in ("x", "y") else H for name in each] for each in names]
    main = FuncOp("main", (types[0], types[1]))
    main.arg_attrs = ArrayAttr([DictionaryAttr({"name": StringAttr(name)}) for name in names[0]])
    main.res_attrs = ArrayAttr([DictionaryAttr({"name": StringAttr(name)}) for name in names[1]])
    return main


@pytest.mark.parametrize(
    ("inputs", "outputs", "pairs"),
    [
        ("x h_in c_in", "y h_out c_out", {"h_in": "h_out", "c_in": "c_out"}),
        ("x prevState", "y state", {"prevState": "state"}),
        ("x state", "y stateN", {"state": "stateN"}),
        ("x h0 c0", "y hn cn", {"h0": "hn", "c0": "cn"}),
        (
            "x past_key_values.0.key past_key_values.0.value",
            "y present.0.key present.0.value",
            {"past_key_values.0.key": "present.0.key", "past_key_values.0.value": "present.0.value"},
        ),
        ("x past_0 past_1", "y present_0 present_1", {"past_0": "present_0", "past_1": "present_1"}),
        ("x cache_0 cache_1", "y new_cache_1 new_cache_0", {"cache_0": "new_cache_0", "cache_1": "new_cache_1"}),
        ("x hidden", "y output_1", {"hidden": "output_1"}),
    ],
)
def test_pairs_are_found_by_names(inputs: str, outputs: str, pairs: dict[str, str]):
    assert state_pairs(network(inputs, outputs)) == pairs


@pytest.mark.parametrize(
    ("inputs", "outputs"),
    [
        ("input_1 input_2", "output_1 output_2"),
        ("image", "mask"),
        ("x hidden", "y output_1 output_2"),
        ("state_in", "state_out"),
        ("x", "y"),
    ],
    ids=["numbers", "other names", "two of the type", "no output is left", "no state"],
)
def test_other_inputs_are_not_proposed(inputs: str, outputs: str):
    assert state_pairs(network(inputs, outputs)) == {}


def test_a_pair_has_one_type():
    main = network("x", "y x_out")
    assert main.function_type.inputs.data[0] != main.function_type.outputs.data[1]
    assert state_pairs(main) == {}
