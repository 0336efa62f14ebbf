"""Functions have the arguments of TVM 0.12 in its order, or stand in a list with what is different."""

import importlib
import inspect
import json
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

import s2s.tvm

TVM: dict[str, list[str]] = json.loads((Path(__file__).parent / "signatures.json").read_text())
"""The names of the arguments of TVM's functions, in their order; `span` is left out."""
DIFFERS: dict[str, list[str]] = json.loads((Path(__file__).parent / "signatures_differ.json").read_text())
"""The functions of which ours has other arguments, with ours."""


def function_named(name: str) -> Any:
    """A function of `s2s.tvm` by its name."""
    owner: Any = s2s.tvm
    for part in name.removeprefix("tvm.").split("."):
        owner = getattr(owner, part) if hasattr(owner, part) else importlib.import_module(f"{owner.__name__}.{part}")
    return owner


def arguments(function: Any) -> list[str]:
    """The names of the arguments of a function."""
    if is_dataclass(function):  # whose constructor is made when it is first called
        return [each.name for each in fields(function) if each.init]
    marks = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    parameters = inspect.signature(function).parameters.values()
    return [marks.get(each.kind, "") + each.name for each in parameters if each.name != "self"]


@pytest.mark.parametrize("name", TVM)
def test_a_function_has_the_arguments_of_tvm_or_is_listed(name: str):
    ours = arguments(function_named(name))
    if name in DIFFERS:
        assert ours == DIFFERS[name]
        assert ours[: len(TVM[name])] != TVM[name]
    else:
        assert ours[: len(TVM[name])] == TVM[name]


def test_most_functions_are_equal():
    assert set(DIFFERS) <= set(TVM)
    assert len(TVM) - len(DIFFERS) >= 310
