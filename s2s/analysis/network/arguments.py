"""Attributes of the arguments of networks and kernels of buffers."""

from collections.abc import Mapping
from enum import StrEnum

from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument

ROLE = "role"
"""Attribute of an argument of a network: what it is for the caller."""
SHAPE = "shape"
"""Attribute of an argument of a network, and of a call: the shape of the tensor in the buffer."""
IN_PLACE = "in_place"
"""Attribute of a kernel: the arguments whose buffer its first argument, the result, may overwrite."""


class Role(StrEnum):
    """What an argument of a network is for the caller."""

    INPUT = "input"
    OUTPUT = "output"
    STATE = "state"
    """Of `main`: a buffer that keeps its value between runs, until the memory plan makes it a part of the arena."""
    ARENA = "arena"


def with_role(role: Role, attributes: Mapping[str, Attribute] | None = None) -> dict[str, Attribute]:
    """Return the attributes of an argument with a role."""
    return {**(attributes or {}), ROLE: StringAttr(role)}


def role_of(attributes: Mapping[str, Attribute]) -> Role | None:
    """Return the role that the attributes of an argument state."""
    role = attributes.get(ROLE)
    return Role(role.data) if isinstance(role, StringAttr) else None


def arguments_in(func: FuncOp, role: Role) -> list[BlockArgument]:
    """Return the arguments of a network with a role, in order."""
    given = zip(func.args, func.arg_attrs or (), strict=False)
    return [argument for argument, attributes in given if role_of(attributes.data) == role]
