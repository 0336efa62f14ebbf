"""The run function of a loaded network, bound to the memory of its caller."""

from collections.abc import Callable, Mapping, Sequence

from s2s.c_syntax.interface import Port
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array
from s2s.verify.guarded import Guarded


@frozen(eq=False)
class Call:
    """A call of the run function, which keeps library and arrays alive."""

    check_open: Callable[[], None]
    """Raises an error if the library is closed."""
    memory: tuple[Array, ...]
    run: Callable[[], int]
    sizes_of: Callable[[Array], dict[str, int]] | None = None
    """Returns the sizes that the structure `dims` holds, which is the second array of `memory`; None without one."""

    @property
    def sizes(self) -> dict[str, int]:
        """The sizes of the last run, derived ones included."""
        return {} if self.sizes_of is None else self.sizes_of(self.memory[1])

    def __call__(self) -> int:
        """Run the network and return its status."""
        self.check_open()
        return self.run()


@frozen
class BoundRun:
    """The run function bound to its memory, as a firmware calls it again and again."""

    call: Call
    """Runs the network; returns its status. It keeps all memory that it uses."""
    ports: Sequence[Port]
    places: Sequence[Guarded]
    """The memory of each output."""
    arena: Guarded

    @property
    def outputs(self) -> tuple[Array, ...]:
        """What the last call wrote."""
        sizes = self.call.sizes
        return tuple(
            port.part_of(place.memory.view(port.dtype), sizes)
            for port, place in zip(self.ports, self.places, strict=True)
        )

    @property
    def guarded(self) -> Mapping[str, Guarded]:
        """The memory that the call must not leave."""
        return {
            "its arena": self.arena,
            **{port.name: each for port, each in zip(self.ports, self.places, strict=True)},
        }
