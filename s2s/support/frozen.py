"""Define frozen dataclasses at a fraction of the time that `dataclasses.dataclass` takes.

`dataclass(frozen=True)` writes six methods of each class as text, which Python parses and compiles: 0.4 ms a class.
`s2s compile` defines 150 of them, and takes less than a second for a small network. Here, all classes share these
methods but `__init__`, and that is compiled when the class makes its first object.

    @frozen
    class Extent:
        start: int
        size: int = 1
"""

from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from reprlib import recursive_repr
from typing import Any, NoReturn, TypeVar, dataclass_transform, overload

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
        made.__init__ = _late_initialiser(made)
    if not below_frozen:
        made.__setattr__, made.__delattr__ = _refuse_to_set, _refuse_to_delete
    if repr and "__repr__" not in own:
        made.__repr__ = _describe
    if eq:
        equal, hash_of = _comparison(tuple(each.name for each in fields(made) if each.compare))
        if "__eq__" not in own:
            made.__eq__ = equal
        if own.get("__hash__") is None:
            made.__hash__ = hash_of
    return made


def _late_initialiser(cls: Any) -> Callable[..., None]:
    """Return an initialiser of `cls` that replaces itself by a compiled one."""

    def initialise(self: object, *args: object, **kwargs: object) -> None:
        cls.__init__ = _initialiser(cls)
        cls.__init__(self, *args, **kwargs)

    return initialise


def _initialiser(cls: Any) -> Callable[..., None]:
    """Compile `__init__`, which takes the fields in order."""
    names: dict[str, object] = {"_set": object.__setattr__, "_MISSING": MISSING}
    positional, by_name = ["self"], ["*"]
    lines: list[str] = []
    for each in fields(cls):
        name = value = parameter = each.name
        if each.default_factory is not MISSING:
            names[f"_make_{name}"] = each.default_factory
            parameter, value = f"{name}=_MISSING", f"_make_{name}() if {name} is _MISSING else {name}"
        elif each.default is not MISSING:
            names[f"_default_{name}"] = each.default
            parameter = f"{name}=_default_{name}"
        (by_name if each.kw_only else positional).append(parameter)
        lines.append(f"_set(self, {name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    parameters = ", ".join([*positional, *(by_name if len(by_name) > 1 else [])])
    exec(f"def __init__({parameters}):\n " + "\n ".join(lines or ["pass"]), names)
    made: Any = names["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


def _comparison(names: tuple[str, ...]) -> tuple[Callable[[Any, object], bool], Callable[[Any], int]]:
    """Return `__eq__` and `__hash__` over the fields of `names`, which compare as a tuple."""
    several = len(names) > 1  # for one name, `attrgetter` gives no tuple
    key: Callable[[Any], object] = attrgetter(*names) if several else lambda it: tuple([getattr(it, n) for n in names])

    def equal(self: Any, other: object) -> bool:
        return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

    def hash_of(self: Any) -> int:
        return hash(key(self))

    return equal, hash_of


@recursive_repr()
def _describe(self: Any) -> str:
    shown = ", ".join(f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
    return f"{self.__class__.__qualname__}({shown})"


def _refuse_to_set(self: object, name: str, value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")
