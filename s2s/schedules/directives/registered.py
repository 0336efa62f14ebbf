"""Directives that other packages define.

@irdl_attr_definition
class Touch(tensor.Directive):
    name = "mine.touch"
    …

register_directive(Touch)
"""

from s2s.dialects.tensor import Directive
from s2s.dialects.tensor.directive import PREFIX
from s2s.errors import InputError

_REGISTERED: dict[str, type[Directive]] = {}


def register_directive(kind: type[Directive]) -> None:
    """Let schedules of decisions, records and tuners have directives of `kind`."""
    if "." not in kind.name or kind.name.startswith(PREFIX):
        raise InputError(
            f"register_directive: {kind.name}: names with {PREFIX} or without a dot are those of s2s; put a word and "
            "a dot before yours, as in mine.touch"
        )
    _REGISTERED[kind.name] = kind


def remove_directive(kind: type[Directive]) -> None:
    """Remove a registered kind of directives."""
    if _REGISTERED.pop(kind.name, None) is None:
        raise InputError(f"remove_directive: {kind.name}: no directive of that name is registered; name one that is")


def registered_directives() -> tuple[type[Directive], ...]:
    """Return the kinds of directives that are registered."""
    return tuple(_REGISTERED.values())
