"""Options of a compilation in the record of its tree: values of JSON, from which the same options are made again.

recorded(CompileOptions(steps="20000cycles"))   {"steps": [20000, "cycles"]}
options_of_record({"steps": [20000, "cycles"]}) CompileOptions(steps="20000cycles")
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, cast

from s2s.errors import InputError
from s2s.options import CompileOptions
from s2s.options.declaration import default_of, is_recorded

if TYPE_CHECKING:
    from s2s.targets.target import Target

_RECORDED = tuple(option for option in fields(CompileOptions) if is_recorded(option))


def recorded(options: CompileOptions) -> dict[str, Any]:
    """Return the options that have another value than their default, by name; the target is not among them."""
    values = [(option, getattr(options, option.name)) for option in _RECORDED if option.name != "target"]
    return {option.name: _plain(value) for option, value in values if value != default_of(option)}


def options_of_record(record: Mapping[str, Any], target: "str | Target | None" = None) -> CompileOptions:
    """Return the options that a tree was compiled with, for `target`, by default the installed one of its name.

    Raises `InputError` where the record is not one of this version.
    """
    stated, place = record["options"], f"{record['name']}: metadata.json"
    names = {option.name for option in _RECORDED}
    other = next((name for name in stated if name not in names), None)
    if other is not None:
        raise InputError(f"{place}: states an option {other!r} that this version does not have; compile the tree again")
    try:
        values = {name: _value(name, value) for name, value in stated.items()}
        return CompileOptions(target=record["target"]["name"] if target is None else target, **values)
    except (TypeError, ValueError) as error:
        raise InputError(f"{place}: an option has another form ({error}); compile the tree again") from error


def _plain(value: object) -> Any:
    from s2s.types.sizes import SizeRange

    if isinstance(value, SizeRange):
        return str(value)
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in cast("Mapping[object, object]", value).items()}
    if isinstance(value, tuple):
        return [_plain(part) for part in cast("tuple[object, ...]", value)]
    return value


def _value(name: str, value: object) -> Any:
    if name == "pools":
        from s2s.types.pools import Pool

        return tuple(Pool(*pool) for pool in _tuples(value))
    if name == "devices":
        from s2s.types.devices import Device

        return tuple(Device(*device) for device in _tuples(value))
    return _tuples(value)


def _tuples(value: Any) -> Any:
    """Return a value with its lists as tuples, which compare with the values of options."""
    if isinstance(value, list):
        return tuple(map(_tuples, cast("list[object]", value)))
    if isinstance(value, dict):
        return {name: _tuples(part) for name, part in cast("dict[str, object]", value).items()}
    return value


__all__ = ["options_of_record", "recorded"]
