"""Which functions of a program a run may go through, and what of their arguments holds data."""

from collections.abc import Container, Iterable, Mapping
from functools import cache, cached_property

from s2s.boards.paths.control_flow import Function, Program
from s2s.boards.paths.data_flow import Flow, Outcome, State, flow_of
from s2s.boards.paths.loops import Shape


class Reach:
    """The functions that can be reached from some addresses of a program, with the flow of data through each."""

    def __init__(self, program: Program, starts: Iterable[int], proven: Container[str] = ()) -> None:
        self.program, self._proven = program, proven
        self.functions: dict[int, Function] = {}
        waiting = list(dict.fromkeys(map(program.start_of, starts)))
        while waiting:
            start = waiting.pop()
            function = program.function(start)
            if function is not None and start not in self.functions:
                self.functions[start] = function
                waiting.extend(place for place in function.callees if place is not None)
        self._shapes: dict[int, Shape] = {}

    def shape(self, start: int) -> Shape:
        """Return the loops and meeting points of a function."""
        return self._shapes.setdefault(start, Shape(self.functions[start]))

    @cached_property
    def flows(self) -> Mapping[int, Flow]:
        """The flow of data through each function, from all calls together."""
        arguments: dict[int, State] = dict.fromkeys(self.functions, State())
        outcomes: dict[int, Outcome] = dict.fromkeys(self.functions, Outcome())
        flows: dict[int, Flow] = {}
        waiting = list(self.functions)
        while waiting:
            start = waiting.pop()
            flows[start] = flow = self._flow(start, arguments[start], outcomes)
            changed = [start] if self._passes(flow, arguments, waiting) else []
            if outcomes[start] != flow.outcome:
                outcomes[start] = flow.outcome
                changed += [place for place, other in self.functions.items() if start in other.callees]
            waiting.extend(place for place in changed if place not in waiting and place != start)
        return flows

    def _flow(self, start: int, arguments: State, outcomes: Mapping[int, Outcome]) -> Flow:
        function = self.functions[start]
        proven = function.name.partition(".")[0] in self._proven
        return flow_of(function, self.shape(start), arguments, outcomes, is_proven=proven)

    def _passes(self, flow: Flow, arguments: dict[int, State], waiting: list[int]) -> bool:
        """Add what a function passes to the arguments of its callees; a callee that gets more waits."""
        grown = False
        for target, state in flow.calls:
            if target in arguments and not state <= arguments[target]:
                arguments[target] |= state
                waiting.extend([] if target in waiting else [target])
                grown = True
        return grown

    @cache  # noqa: B019
    def below(self, start: int) -> frozenset[int]:
        """Return the functions that a function may go through, itself included."""
        seen: set[int] = set()
        waiting = [start]
        while waiting:
            place = waiting.pop()
            if place in self.functions and place not in seen:
                seen.add(place)
                waiting.extend(callee for callee in self.functions[place].callees if callee is not None)
        return frozenset(seen)


__all__ = ["Reach"]
