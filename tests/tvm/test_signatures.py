"""Functions have the arguments and defaults of TVM 0.12, or stand in a list with what is different."""

import importlib
import inspect
import json
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any, cast

import pytest

import s2s.tvm


def data(name: str) -> dict[str, Any]:
    """A file of data beside this one."""
    return json.loads((Path(__file__).parent / f"{name}.json").read_text())


TVM: dict[str, list[str]] = data("signatures")
"""The names of the arguments of TVM's functions, in their order; `span` is left out."""
DIFFERS: dict[str, list[str]] = data("signatures_differ")
"""The functions of which ours has other arguments, with ours."""
DEFAULTS: dict[str, dict[str, Any]] = data("defaults")
"""The defaults of the arguments of TVM's functions that are plain values; tuples are lists."""
OTHER_DEFAULTS: dict[str, dict[str, str]] = data("defaults_differ")
"""The arguments of which ours have another default, with ours."""


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


def defaults(function: Any) -> dict[str, Any]:
    """The defaults of a function, tuples as lists."""
    if is_dataclass(function):
        given = {each.name: each.default for each in fields(function) if each.default is not MISSING}
    else:
        parameters = inspect.signature(function).parameters
        given = {key: each.default for key, each in parameters.items() if each.default is not inspect.Parameter.empty}
    return {
        key: list(cast("tuple[Any, ...]", value)) if isinstance(value, tuple) else value for key, value in given.items()
    }


@pytest.mark.parametrize("name", DEFAULTS)
def test_a_default_is_tvms_or_is_listed(name: str):
    ours = {key: value for key, value in defaults(function_named(name)).items() if key in DEFAULTS[name]}
    other = {key: value for key, value in ours.items() if value != DEFAULTS[name][key]}
    assert {key: repr(value) for key, value in other.items()} == OTHER_DEFAULTS.get(name, {})


def test_most_functions_are_equal():
    assert set(DIFFERS) <= set(TVM)
    assert set(OTHER_DEFAULTS) <= set(DEFAULTS)
    assert len(TVM) - len(DIFFERS) >= 680
    assert sum(map(len, DEFAULTS.values())) >= 780
