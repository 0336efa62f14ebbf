"""Narrow the type of a value by a class or a generic type."""

from functools import cache
from typing import TYPE_CHECKING, Any, TypeGuard, TypeVar, get_origin

from xdsl.ir import Attribute
from xdsl.irdl import AttrConstraint, VerificationContext, irdl_to_attr_constraint
from xdsl.utils import hints
from xdsl.utils.exceptions import VerifyException

if TYPE_CHECKING:
    from typing_extensions import TypeForm

T = TypeVar("T")

_is_instance = type.__instancecheck__
"""`isinstance` without the registry of virtual subclasses of an abstract class: attributes have none."""


def isa(value: Any, hint: "TypeForm[T]") -> TypeGuard[T]:
    """Whether `value` is of the type `hint`. The same as xDSL's `isa`, which examines the hint each time: that takes
    longer than the check, and lowerings ask this for every operand."""
    if isinstance(hint, type):
        return _is_instance(hint, value)
    constraint = _constraint(hint)
    return hints.isa(value, hint) if constraint is None else _meets(value, hint, constraint)


def _meets(attribute: Any, hint: "TypeForm[T]", constraint: AttrConstraint) -> TypeGuard[T]:
    if not isinstance(attribute, get_origin(hint) or type):
        return False
    try:
        constraint.verify(attribute, VerificationContext())
    except VerifyException:
        return False
    return True


@cache
def _constraint(hint: Any) -> AttrConstraint | None:
    """What the parameters of an attribute of the generic class `hint` must be; None for other types."""
    origin = get_origin(hint)
    generic = isinstance(origin, type) and issubclass(origin, Attribute)
    return irdl_to_attr_constraint(hint) if generic else None
