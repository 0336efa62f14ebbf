"""Names of TVM that there are not say why; every other one is there."""

from functools import reduce
from typing import Any

import pytest

from s2s import tvm
from s2s.errors import InputError, UnsupportedError
from s2s.tvm import relay
from s2s.tvm.refusals import ALL
from s2s.tvm.relay.transform import REFUSED


def named(module: str) -> Any:
    """The module of this path in the package, as a program names it."""
    return reduce(getattr, module.split(".") if module else [], tvm)


@pytest.mark.parametrize(("module", "name"), [(module, name) for module, names in ALL.items() for name in names])
def test_an_operator_is_refused_with_its_reason(module: str, name: str):
    operator = getattr(named(module), name)
    with pytest.raises(UnsupportedError, match=rf"^{f'{module}.{name}'.lstrip('.')}: is not offered; [a-z]"):
        operator()


def test_a_network_that_is_refused_has_no_parts():
    with pytest.raises(UnsupportedError, match=r"relay.testing.vgg: is not offered; import the model"):
        relay.testing.vgg.get_workload(1)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    with pytest.raises(InputError, match="resnet: layout NHWC is not offered"):
        relay.testing.resnet.get_workload(1, layout="NHWC")


@pytest.mark.parametrize("module", ALL)
def test_other_names_are_missing(module: str):
    with pytest.raises(AttributeError, match="has no attribute 'no_such_operator'"):
        named(module).no_such_operator  # noqa: B018


@pytest.mark.parametrize("name", REFUSED)
def test_a_pass_is_refused_with_its_reason(name: str):
    with pytest.raises(UnsupportedError, match=f"relay.transform.{name}: is not a pass on a module here; "):
        getattr(relay.transform, name)()
