"""A decorator like `dataclasses.dataclass` that defines a class in a sixth of the time.

The standard library compiles up to six functions from text for each class. This decorator compiles one, `__init__`; the
others are closures. `field`, `fields`, `replace` and `asdict` of the standard library work with its classes as usual.
"""

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, FrozenInstanceError
from operator import attrgetter
from reprlib import recursive_repr
from typing import Any, TypeVar, cast, dataclass_transform, overload

T = TypeVar("T")
Fields = Sequence[Field[Any]]
Key = Callable[[object], tuple[object, ...]]
"""The values of an instance that are compared."""


@overload
def dataclass(cls: type[T], /) -> type[T]: ...


@overload
def dataclass(
    *, frozen: bool = False, eq: bool = True, repr: bool = True, kw_only: bool = False
) -> Callable[[type[T]], type[T]]: ...


@dataclass_transform(field_specifiers=(dataclasses.field,))
def dataclass(
    cls: type[T] | None = None, /, *, frozen: bool = False, eq: bool = True, repr: bool = True, kw_only: bool = False
) -> type[T] | Callable[[type[T]], type[T]]:
    """Define a dataclass with these parameters of the standard library's decorator.

    A class that adds nothing to the fields of another dataclass inherits its methods.
    """

    def define(cls: type[T]) -> type[T]:
        if dataclasses.is_dataclass(cls) and not {"__annotations__", "__post_init__"} & cls.__dict__.keys():
            return cls
        inherited = any(_is_frozen(base) for base in cls.__mro__[1:])
        dataclasses.dataclass(init=False, repr=False, eq=False, frozen=inherited, kw_only=kw_only)(cls)
        fields = dataclasses.fields(cast("Any", cls))
        _define(cls, "__init__", _initialiser(cls, fields, frozen=frozen))
        if repr:
            _define(cls, "__repr__", _shown)
        if eq:
            _compare(cls, _key([each.name for each in fields if each.compare]), frozen=frozen)
        if frozen and not inherited:
            _freeze(cls, frozenset(each.name for each in fields))
        return cls

    return define if cls is None else define(cls)


def _is_frozen(cls: type) -> bool:
    parameters = getattr(cls, "__dataclass_params__", None)
    return parameters is not None and parameters.frozen


def _define(cls: type, name: str, method: object) -> None:
    """Give `cls` a method unless its body defines it."""
    if cls.__dict__.get(name) is None:
        setattr(cls, name, method)


def _initialiser(cls: type, fields: Fields, *, frozen: bool) -> Callable[..., None]:
    """Compile `__init__`: it assigns the fields, then calls `__post_init__` if there is one."""
    names: dict[str, Any] = {"assign": object.__setattr__, "absent": _ABSENT}
    parameters, keywords, body = ["self"], list[str](), list[str]()
    for each in fields:
        name, value = each.name, each.name
        if each.default is not MISSING:
            names[f"default_{name}"] = each.default
        elif each.default_factory is not MISSING:
            names[f"make_{name}"] = each.default_factory
            value = f"make_{name}() if {name} is absent else {name}" if each.init else f"make_{name}()"
        if each.init:
            (keywords if each.kw_only else parameters).append(_parameter(each))
        if each.init or each.default_factory is not MISSING:
            body.append(f"assign(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    listed = [*parameters, *(["*", *keywords] if keywords else [])]
    exec(f"def __init__({', '.join(listed)}):\n " + "\n ".join(body or ["pass"]), names)
    made = names["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    made.__annotations__ = {each.name: each.type for each in fields if each.init} | {"return": None}
    return made


def _parameter(field: Field[Any]) -> str:
    if field.default is not MISSING:
        return f"{field.name}=default_{field.name}"
    return field.name if field.default_factory is MISSING else f"{field.name}=absent"


class _Absent:
    """What a field with a factory is initialised to where no value is given."""

    def __repr__(self) -> str:
        return "<factory>"


_ABSENT = _Absent()


@recursive_repr()
def _shown(self: Any) -> str:
    values = ", ".join(f"{each.name}={getattr(self, each.name)!r}" for each in dataclasses.fields(self) if each.repr)
    return f"{type(self).__qualname__}({values})"


def _key(names: Sequence[str]) -> Key:
    if len(names) > 1:
        return attrgetter(*names)
    read = [attrgetter(name) for name in names]
    return lambda instance: tuple([each(instance) for each in read])


def _compare(cls: type, key: Key, *, frozen: bool) -> None:
    """Define equality by `key`, and the hash of a frozen class; instances of other classes are not hashable."""

    def equal(self: object, other: object) -> bool:
        return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

    def hash_of(self: object) -> int:
        return hash(key(self))

    _define(cls, "__eq__", equal)
    _define(cls, "__hash__", hash_of if frozen else None)


def _freeze(cls: type, names: frozenset[str]) -> None:
    """Refuse assignment and deletion of fields, and of everything else in instances of `cls` itself."""

    def assign(self: object, name: str, value: object) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def delete(self: object, name: str) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    setattr(cls, "__setattr__", assign)  # noqa: B010
    setattr(cls, "__delattr__", delete)  # noqa: B010
    getattr(cls, "__dataclass_params__").frozen = True  # noqa: B009
