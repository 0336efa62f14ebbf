"""Define dataclasses whose objects change, at a fraction of the time that `dataclasses.dataclass` takes.

    @mutable
    class Scope:
        names: set[str]
        depth: int = 0

The methods are those of `s2s.support.class_methods`, as for `s2s.support.frozen`.
"""

from dataclasses import dataclass, field
from typing import Any, TypeVar, dataclass_transform

from s2s.support.class_methods import comparison, describe, late_initialiser

T = TypeVar("T")


@dataclass_transform(field_specifiers=(field,))
def mutable(cls: type[T]) -> type[T]:
    """Define a class as `dataclass` does: its objects can be changed, compare by their fields and have no hash."""
    own = dict(vars(cls))
    cls.__doc__ = cls.__doc__ or cls.__name__  # `dataclass` would derive one from the signature, which takes long
    made: Any = dataclass(init=False, repr=False, eq=False)(cls)
    made.__init__ = late_initialiser(made, "self.{name} = {value}")
    if "__repr__" not in own:
        made.__repr__ = describe
    if "__eq__" not in own:
        made.__eq__, made.__hash__ = comparison(made)[0], None
    return made
