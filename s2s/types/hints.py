"""Narrow the type of a value by a class or a generic type."""

from typing import TYPE_CHECKING, Any, TypeGuard, TypeVar

from xdsl.utils import hints

if TYPE_CHECKING:
    from typing_extensions import TypeForm

T = TypeVar("T")

_is_instance = type.__instancecheck__
"""`isinstance` without the registry of virtual subclasses of an abstract class: attributes have none."""


def isa(value: Any, hint: "TypeForm[T]") -> TypeGuard[T]:
    """Whether `value` is of the type `hint`. The same as xDSL's `isa`, which examines the hint first: that takes longer
    than the check where the hint is a class, and lowerings ask this for every operand."""
    return _is_instance(hint, value) if isinstance(hint, type) else hints.isa(value, hint)
