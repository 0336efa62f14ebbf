"""What formulas that all formats share ask of a node."""

from typing import Protocol

import numpy as np

from s2s.errors import InputError
from s2s.frontends.builder import Value


class AnyNode(Protocol):
    """The node of a model of any format."""

    def invalid(self, fact: str, way_out: str) -> InputError:
        """The error for a node that is wrong."""
        ...

    def require_small(self, count: int, what: str) -> None:
        """Refuse to make a constant that would be larger than any network needs."""
        ...

    def constant(self, values: object, dtype: np.dtype[np.generic] | type[np.generic] | None = None) -> Value:
        """A constant of this node."""
        ...
