"""A stream through a network that keeps state: an arena of its own, with reset, snapshot and restore.

    stream = network.stream()
    first = stream.run({"frame": frame})
    kept = stream.snapshot()
    second = stream.run({"frame": frame})
    stream.restore(kept)  # the next run repeats the second one

Streams share code and weights of one loaded library, and nothing else.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from s2s.errors import CompilerBug, InputError
from s2s.options import Io
from s2s.types.dtypes import Array
from s2s.verify.guarded import Guarded

if TYPE_CHECKING:
    from s2s.verify.build import LoadedNetwork


class Stream:
    """One sequence of runs, each of which begins with the state that the one before has left."""

    def __init__(self, network: "LoadedNetwork", arena: Guarded, state_size: int) -> None:
        self._network, self._state_size = network, state_size
        self.arena = arena
        """The memory of the stream; its first bytes are the state."""
        self.reset()

    def run(self, inputs: Mapping[str, ArrayLike], *, io: Io = "arena") -> dict[str, Array]:
        """Return the outputs by name for inputs by name, and keep the state for the next run."""
        return self._network.run_on(self.arena, inputs, io)

    def reset(self) -> None:
        """Set the state to its initial values."""
        network = self._network
        network.check_open()
        status = getattr(network.lib, f"{network.name}_reset")(
            network.ffi.cast("void *", self.arena.memory.ctypes.data)
        )
        if status != 0:
            raise CompilerBug(f"{network.name}_reset: status {status}")

    def snapshot(self) -> bytes:
        """Return a copy of the state."""
        return self.arena.memory[: self._state_size].tobytes()

    def restore(self, snapshot: bytes) -> None:
        """Set the state to that of a snapshot, of this stream or of another one of the same network."""
        if len(snapshot) != self._state_size:
            raise InputError(
                f"{self._network.name}: a snapshot of {len(snapshot)} bytes given, its state has {self._state_size}; "
                "restore what snapshot() of the same network returned"
            )
        self.arena.memory[: self._state_size] = memoryview(snapshot)
