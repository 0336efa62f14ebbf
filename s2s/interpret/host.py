"""Functions of the Python process that networks call by name.

`s2s.tvm.runtime` brings the registry of packed functions, which stands above this room; until it is imported there are
none.
"""

from collections.abc import Sequence
from typing import Protocol

from s2s.types.dtypes import Array


class Host(Protocol):
    """A registry of functions by name."""

    def call(
        self, name: str, inputs: Sequence[Array], outputs: Sequence[Array], numbers: Sequence[int | float] = ()
    ) -> bool:
        """Let the function of a name write `outputs` from `inputs`, with `numbers` as last arguments; False if there is
        none."""
        ...

    def before_loading(self) -> None:
        """Prepare the process for a library that calls these functions."""
        ...

    def raise_error(self, place: str) -> None:
        """Raise what made a call from such a library fail."""
        ...


_hosts: list[Host] = []


def provide(host: Host) -> None:
    """Make the functions of `host` available to networks."""
    _hosts.append(host)


def host() -> Host | None:
    """The registry; None if nothing has provided one."""
    return _hosts[-1] if _hosts else None
