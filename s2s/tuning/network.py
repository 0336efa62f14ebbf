"""A whole network as something to be tuned: the decisions that are made before its kernels have schedules.

Fusion, layouts, algorithms, row tiles and copies change which kernels there are. A candidate is a set of these
decisions, and costs what its kernels cost together; a kernel that several candidates have is measured once.

    fusion of conv, add     one kernel | a kernel each
    layout of conv_1x1      NCHW16c | NCHW8c | NCHW
    algorithm of conv_3x3   winograd 4x4 | direct | winograd 2x2
"""

import hashlib
from collections import Counter, OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import cast

from s2s.analysis.network.functions import main_of
from s2s.compilation import Compilation
from s2s.decisions.keys import DIGITS, LOWERING, group_key, target_text
from s2s.decisions.recorded import decisions_of
from s2s.dialects import graph
from s2s.errors import InputError
from s2s.options import CompileOptions
from s2s.stages.state import State
from s2s.tuning.open_decision import decided_of, open_decisions, table_of, text_of
from s2s.tuning.records import NETWORK, Decided
from s2s.tuning.resumable import Resumable
from s2s.tuning.search_space import Point, SearchSpace
from s2s.tuning.task import BEFORE, FoundKernel, kernels_of

FROM = "settle"
"""The stage that candidates continue from."""
KINDS = (
    "trees",
    "implementation",
    "transposed convolution",
    "convolution groups",
    "attention",
    "fusion",
    "layout",
    "fused rows",
    "row tiles",
    "concatenation",
    "panels",
    "images",
    "algorithm",
)
"""The kinds of decisions that are searched. Those about memory, devices and libraries are not."""
KEPT = 16
"""Candidates whose kernels are kept."""


class NetworkTask(Resumable):
    """A network to be tuned."""

    def key_in(self, lowering: int) -> str:
        """Return the task key in another version of the lowering."""
        return _key(self.state, self.options, lowering)


def network_task(compilation: Compilation) -> NetworkTask:
    """Return the task of the network that is compiled."""
    options = replace(compilation.options, explain=False)
    state = compilation.at(FROM)
    return NetworkTask(_key(state, options, LOWERING), NETWORK, "", 1, state, options)


def _key(state: State, options: CompileOptions, lowering: int) -> str:
    ops = [op for op in main_of(state.module).body.block.ops if not isinstance(op, graph.WeightOp)]
    text = f"{lowering} network {group_key(ops)} {target_text(options.target)}"
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


class NetworkSpace(SearchSpace):
    """The choices of all decisions of some kinds, or of the decisions that concern some nodes only.

    A combination is legal if the network compiles with it.
    """

    def __init__(
        self, network: NetworkTask, kinds: Collection[str] = KINDS, nodes: Collection[str] | None = None
    ) -> None:
        self.network = network
        explained = network.compilation.resume(replace(network.options, explain=True))
        found = open_decisions(decisions_of(explained.at(BEFORE).module), kinds)
        self.knobs = tuple(each for each in found if nodes is None or not each.nodes.isdisjoint(nodes))
        self._kernels: OrderedDict[str, Sequence[FoundKernel] | None] = OrderedDict()

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(len(each.choices) for each in self.knobs)

    def decided(self, point: Point) -> Decided:
        """Return the decisions at a point that differ from the compiler's own."""
        pairs = zip(self.knobs, point.places, strict=True)
        return tuple((knob.kind, knob.subject, knob.choices[place]) for knob, place in pairs if place)

    def text(self, point: Point) -> str | None:
        text = text_of(self.decided(point))
        return None if self.kernels(text) is None else text

    def kernels(self, text: str) -> Sequence[FoundKernel] | None:
        """Return the kernels that the network has with the decisions of a text; None where they are illegal."""
        if text not in self._kernels:
            self._kernels[text] = self._found(text)
            if len(self._kernels) > KEPT:
                self._kernels.popitem(last=False)
        self._kernels.move_to_end(text)
        return self._kernels[text]

    def _found(self, text: str) -> Sequence[FoundKernel] | None:
        decided = decided_of(text)
        compilation = self.network.with_decisions(table_of(decided))
        try:
            made = decisions_of(compilation.at(BEFORE).module)
        except InputError:
            return None
        met = {(each.kind, each.subject.partition("#")[0]) for each in made}
        if any((kind, subject.partition("#")[0]) not in met for kind, subject, _ in decided):
            return None
        return kernels_of(compilation)

    def starts(self) -> list[Point]:
        return [Point((0,) * len(self.knobs))]

    def features(self, point: Point) -> list[float]:
        return [*map(float, point.places)]

    def find(self, text: str) -> Point | None:
        wanted = {(kind, subject): chosen for kind, subject, chosen in decided_of(text)}
        places = [knob.place(wanted.pop((knob.kind, knob.subject), None)) for knob in self.knobs]
        return None if wanted or None in places else Point(tuple(cast("list[int]", places)))

    def describe(self) -> str:
        """The size of the space in words."""
        if not self.knobs:
            return "nothing to choose"
        counts = Counter((each.kind, len(each.choices)) for each in self.knobs)
        told = ", ".join(
            f"{kind} {size}" + (f" x {count}" if count > 1 else "") for (kind, size), count in counts.items()
        )
        return f"{self.size:,} points ({told})"
