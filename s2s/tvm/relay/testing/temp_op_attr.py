"""An attribute of an operator for a while."""

from types import TracebackType
from typing import Self

from s2s.tvm.relay.operators import Op

__all__ = ["TempOpAttr"]


class TempOpAttr:
    """Sets an attribute of an operator inside of a `with`, and gives it its earlier value behind it."""

    def __init__(self, op_name: str, attr_key: str, attr_value: object) -> None:
        self.op, self.attr_key, self.attr_value = Op.get(op_name), attr_key, attr_value
        self.older_attr: object = None

    def __enter__(self) -> Self:
        self.older_attr = self.op.get_attr(self.attr_key)
        self.op.reset_attr(self.attr_key)
        self.op.set_attr(self.attr_key, self.attr_value)
        return self

    def __exit__(
        self, ptype: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.op.reset_attr(self.attr_key)
        if self.older_attr is not None:
            self.op.set_attr(self.attr_key, self.older_attr)
