"""What tasks have in common: a state of a compilation, from which each candidate's decisions are compiled anew."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, Self

from s2s.compilation import Compilation
from s2s.decisions.decision import Table
from s2s.options import CompileOptions
from s2s.stages.state import State
from s2s.support.frozen import frozen
from s2s.targets import Target
from s2s.tuning.packed import Packed, packed, unpacked


@frozen(eq=False)
class Resumable:
    """A kernel or a network that is measured with different decisions."""

    key: str
    """Its task key."""
    name: str
    """The name of the kernel in the module, or the name of the network."""
    nodes: str
    """The nodes of the model that it computes."""
    calls: int
    """How often one run of the network calls it."""
    state: State
    """What compilations continue from."""
    options: CompileOptions

    def __reduce__(self) -> tuple[Any, ...]:
        return _remade, (type(self), (self.key, self.name, self.nodes, self.calls), packed(self.state), self.options)

    @property
    def target(self) -> Target:
        """What it is compiled for."""
        return self.options.target

    @property
    def compilation(self) -> Compilation:
        """The compilation with the compiler's own decisions; candidates resume it."""
        return self._compilation

    @cached_property
    def _compilation(self) -> Compilation:
        return Compilation.of_state(self.state, self.options)

    def with_decisions(self, decisions: Table) -> Compilation:
        """Return the compilation with other decisions, beside the decisions of the options."""
        return self.compilation.resume(replace(self.options, decisions=merged(self.options.decisions, decisions)))

    @classmethod
    def of_fields(cls, fields: tuple[str, str, str, int], state: Packed, options: CompileOptions) -> Self:
        """The task that was pickled."""
        return cls(*fields, unpacked(state), options)


def merged(*tables: Table) -> dict[str, Mapping[str, str]]:
    """Return the choices of several tables; later tables count."""
    found: dict[str, Mapping[str, str]] = {}
    for table in tables:
        for kind, choices in table.items():
            found[kind] = {**found.get(kind, {}), **choices}
    return found


def _remade(
    kind: type[Resumable], fields: tuple[str, str, str, int], state: Packed, options: CompileOptions
) -> Resumable:
    return kind.of_fields(fields, state, options)
