"""What formulas that all formats share ask of a node."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.builder import Value
from s2s.types.dtypes import Array


class AnyNode(Protocol):
    """The node of a model of any format."""

    def invalid(self, fact: str, way_out: str) -> InputError:
        """The error for a node that is wrong."""
        ...

    def unsupported(self, fact: str, way_out: str) -> UnsupportedError:
        """The error for a node that is right and that s2s cannot import."""
        ...

    def require_small(self, count: int, what: str) -> None:
        """Refuse to make a constant that would be larger than any network needs."""
        ...

    def constant(self, values: object, dtype: np.dtype[np.generic] | type[np.generic] | None = None) -> Value:
        """A constant of this node."""
        ...

    def table(self, values: Array, shape: Sequence[int]) -> Value:
        """A constant of this node, of which a run reads the first elements along axes that are sizes."""
        ...
