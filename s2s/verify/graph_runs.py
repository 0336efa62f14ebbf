"""Runs of a network by its tables: one executor of the runtime for each arena, so that state stays with its stream."""

from collections.abc import Mapping, Sequence
from weakref import WeakKeyDictionary

from s2s.errors import CompilerBug
from s2s.executor.session import LoadedLibrary, Session
from s2s.types.dtypes import Array
from s2s.verify.guarded import Guarded


class GraphRuns:
    """The executors of a loaded library, by their arenas."""

    def __init__(self, library: LoadedLibrary) -> None:
        self._library = library
        self._sessions: WeakKeyDictionary[Guarded, Session] = WeakKeyDictionary()

    def run(self, arena: Guarded, inputs: Sequence[Array], sizes: Mapping[str, int]) -> list[Array]:
        """Return the outputs of a run on `arena` with these sizes."""
        session = self._session(arena)
        session.sizes[: len(sizes)] = list(sizes.values())
        for index, value in enumerate(inputs):
            session.set_input(index, value)
        session.run()
        if not arena.is_intact():
            raise CompilerBug(f"{self._library.name}: a kernel wrote behind the end of the arena")
        return [session.output_value(index) for index in range(len(session.outputs))]

    def reset(self, arena: Guarded) -> None:
        """Set the state in `arena` to its first values."""
        self._session(arena).reset_state()

    def _session(self, arena: Guarded) -> Session:
        if arena not in self._sessions:
            self._sessions[arena] = Session(self._library, arena.memory if arena.memory.size else None)
        return self._sessions[arena]
