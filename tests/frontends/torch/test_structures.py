"""Outputs of modules that are dataclasses or other classes: they are captured, and named after their attributes."""
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false

import warnings
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.utils import _pytree as pytree

from s2s.errors import UnsupportedError
from s2s.frontends.torch import export, load_model


@dataclass
class Plain:
    """A dataclass that torch does not know."""

    sample: Tensor
    rest: Any = None


@dataclass
class Registered:
    """One that is registered without keys, as those of libraries are."""

    sample: Tensor
    rest: Any = None


class Ordered(OrderedDict[str, Any]):
    """A dictionary that is registered without keys, as outputs of diffusers are."""


def _register() -> None:
    with warnings.catch_warnings(action="ignore"):
        pytree.register_pytree_node(
            Registered, lambda each: ([each.sample, each.rest], None), lambda values, _: Registered(*values)
        )
        pytree.register_pytree_node(
            Ordered,
            lambda each: (list(each.values()), list(each)),
            lambda values, keys: Ordered(zip(keys, values, strict=True)),
        )


_register()


class Returning(nn.Module):
    """Returns an output of a kind."""

    def __init__(self, kind: Callable[[Tensor, Any], Any]) -> None:
        super().__init__()
        self.kind = kind

    def forward(self, x: Tensor) -> Any:
        return self.kind(x + 1, (x, x * 2))


class NoTree:
    """An object that is neither."""

    def __init__(self, *held: object) -> None:
        self.held = held


KINDS: dict[str, Callable[[Tensor, Any], Any]] = {
    "dataclass": Plain,
    "registered": Registered,
    "mapping": lambda x, rest: Ordered(sample=x, rest=rest),
    "dictionary": lambda x, rest: {"sample": x, "rest": rest},
}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_outputs_are_named_after_attributes(kind: Callable[[Tensor, Any], Any]):
    program = load_model(export(Returning(kind), (torch.zeros(2),))).program
    assert sorted(name for name, _ in program.outputs) == ["rest0", "rest1", "sample"] or [
        name for name, _ in program.outputs
    ] == ["sample0", "rest0", "rest1"]


def test_dataclasses_in_dataclasses_are_taken_apart():
    program = load_model(export(Returning(lambda x, rest: Plain(x, Plain(rest[0]))), (torch.zeros(2),))).program
    assert [name for name, _ in program.outputs] == ["sample", "rest_sample"]


def test_capturing_a_dataclass_changes_no_buffer():
    class Counting(nn.Module):
        count: Tensor

        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("count", torch.zeros(1))

        def forward(self, x: Tensor) -> Plain:
            self.count.add_(1)
            return Plain(x + self.count)

    module = Counting()
    export(module, (torch.zeros(2),))
    assert module.count.item() == 0


def test_other_objects_are_refused():
    with pytest.raises(UnsupportedError, match=r"NoTree.*change the module until"):
        export(Returning(NoTree), (torch.zeros(2),))


def test_a_cache_that_is_an_object_is_refused_with_the_exporter_that_works():
    class DynamicCache(NoTree):
        pass

    with pytest.raises(UnsupportedError, match=r"convert_and_export_with_cache.*use_cache=False"):
        export(Returning(DynamicCache), (torch.zeros(2),))
