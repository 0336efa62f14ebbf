"""A stream through a network that keeps state: an arena of its own, with reset, snapshot and restore.

    stream = network.stream()
    first = stream.run({"frame": frame})
    kept = stream.snapshot()
    second = stream.run({"frame": frame})
    stream.restore(kept)  # the next run repeats the second one

Streams share code and weights of one loaded library, and nothing else.
"""

from collections.abc import Callable, Mapping

from numpy.typing import ArrayLike

from s2s.errors import InputError
from s2s.options import Io
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array
from s2s.verify.guarded import Guarded

Run = Callable[[Guarded, Mapping[str, ArrayLike], Io], dict[str, Array]]
"""Runs the network on an arena."""


@frozen(eq=False)
class Stream:
    """One sequence of runs, each of which begins with the state that the one before has left."""

    name: str
    """The name of the network."""
    arena: Guarded
    """The memory of the stream; its first bytes are the state."""
    state_size: int
    run_on: Run
    reset_on: Callable[[Guarded], None]

    def __post_init__(self) -> None:
        self.reset()

    def run(self, inputs: Mapping[str, ArrayLike], *, io: Io = "arena") -> dict[str, Array]:
        """Return the outputs by name for inputs by name, and keep the state for the next run."""
        return self.run_on(self.arena, inputs, io)

    def reset(self) -> None:
        """Set the state to its initial values."""
        self.reset_on(self.arena)

    def snapshot(self) -> bytes:
        """Return a copy of the state."""
        return self.arena.memory[: self.state_size].tobytes()

    def restore(self, snapshot: bytes) -> None:
        """Set the state to a snapshot's, of this stream or of another one of the same network."""
        if len(snapshot) != self.state_size:
            raise InputError(
                f"{self.name}: a snapshot of {len(snapshot)} bytes given, its state has {self.state_size}; "
                "restore what snapshot() of the same network returned"
            )
        self.arena.memory[: self.state_size] = memoryview(snapshot)
