"""Define frozen dataclasses at a fraction of the time that `dataclasses.dataclass` takes.

    @frozen
    class Extent:
        start: int
        size: int = 1

`s2s compile` defines 150 of them, and takes less than a second for a small network.
"""

from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass, field
from typing import Any, NoReturn, TypeVar, dataclass_transform, overload

from s2s.support.class_methods import comparison, describe, late_initialiser

T = TypeVar("T")


@overload
def frozen(cls: type[T], /) -> type[T]: ...
@overload
def frozen(*, eq: bool = True, repr: bool = True, kw_only: bool = False) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[Any] | None = None, /, *, eq: bool = True, repr: bool = True, kw_only: bool = False) -> Any:
    """Define a class as `dataclass(frozen=True)` does: its objects cannot be changed, and compare by their fields.

    With `eq=False` an object equals only itself; with `repr=False` objects are printed as the base class says.
    """

    def define(cls: type[T]) -> type[T]:
        return _defined(cls, eq=eq, repr=repr, kw_only=kw_only)

    return define if cls is None else define(cls)


def _defined(cls: type[T], *, eq: bool, repr: bool, kw_only: bool) -> type[T]:
    own = dict(vars(cls))
    base = getattr(cls, "__dataclass_params__", None)
    below_frozen = base is not None and base.frozen  # a dataclass of xDSL, such as `ModulePass`
    cls.__doc__ = cls.__doc__ or cls.__name__  # `dataclass` would derive one from the signature, which takes long
    made: Any = dataclass(init=False, repr=False, eq=False, kw_only=kw_only, frozen=below_frozen)(cls)
    if "__init__" not in own:
        made.__init__ = late_initialiser(made, "_set(self, {name!r}, {value})")
    if not below_frozen:
        made.__setattr__, made.__delattr__ = _refuse_to_set, _refuse_to_delete
    if repr and "__repr__" not in own:
        made.__repr__ = describe
    if eq:
        equal, hash_of = comparison(made)
        if "__eq__" not in own:
            made.__eq__ = equal
        if own.get("__hash__") is None:
            made.__hash__ = hash_of
    return made


def _refuse_to_set(self: object, name: str, value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")
