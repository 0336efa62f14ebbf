"""Decide how an ensemble of decision trees is computed: by walking tables of nodes, or as branches of the program.

Tables take a few bytes a node and the same time for every tree; branches are code, which stops at each leaf and
compares with constants. The subject is named by a hash over the operator and its types.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr

from s2s.decisions.decision import Cost
from s2s.decisions.kind import Candidate, Heuristic, NamedKind, Refused, named
from s2s.decisions.operators import OperatorGroup, OperatorKind
from s2s.support.frozen import frozen
from s2s.targets import Target
from s2s.types.trees import Trees

FORM = "form"
"""Discardable attribute of an ensemble: how it is to be computed."""
TABLES, BRANCHES = "tables", "branches"
MAX_NODES = 4096
"""Branches of one network; more are no code that anybody reads, and C compilers take long for them."""
MAX_FLASH_NODES = 1024
"""Branches where programs run from flash; more take too much of it beside tables."""
MAX_LEVELS = 32
"""Branches inside of each other."""
TABLE_STEP, BRANCH_STEP = 20, 6
"""Cycles for a step from node to node, counted on Cortex-M4."""
CACHED_TABLE_STEP, CACHED_BRANCH_STEP = 12, 2
"""The same for cores with caches, whose compilers turn most branches into selections, measured on x86-64."""
NODE_CODE = 40
"""Bytes of code of a branch and a leaf, on Cortex-M4."""
ROW_BYTES = 10
"""Bytes of a row of the tables, without weights."""


@frozen
class Ensemble(OperatorGroup):
    """An ensemble of trees."""

    trees: Trees
    by_target: Sequence[Trees]
    """For each target the trees that speak of it, without branches that decide nothing of it."""
    samples: int
    weight_bytes: int
    """Bytes of the weights of one row."""
    is_sum: bool

    @property
    def branches(self) -> int:
        """Nodes of all trees, counted for each target."""
        return sum(trees.unfolded(root) for trees in self.by_target for root in trees.roots)


class EnsembleKind(OperatorKind[Ensemble, str], NamedKind[Ensemble]):
    """Ways to compute ensembles of trees."""

    name = "trees"
    names = (TABLES, BRANCHES)

    def heuristics(self) -> Sequence[tuple[str, Heuristic[Ensemble, str]]]:
        return (("much code for a small memory", _small), ("cycles of the steps", _cheapest))

    def legal(self, subject: Ensemble, choice: str) -> str | None:
        if choice == BRANCHES and not subject.is_sum:
            return "branches add up what trees say, and this takes the least or the greatest"
        if choice == BRANCHES and subject.branches > MAX_NODES:
            return f"it has {subject.branches:,} branches, over {MAX_NODES:,}"
        if choice == BRANCHES and (subject.trees.levels() or 0) > MAX_LEVELS:
            return f"a tree is over {MAX_LEVELS} levels deep"
        return super().legal(subject, choice)

    def apply(self, subject: Ensemble, choice: str) -> None:
        subject.ops[0].attributes[FORM] = StringAttr(choice)

    def estimate(self, subject: Ensemble, choice: str, target: Target) -> Cost | None:
        """Estimate cycles by the steps to a leaf: with tables the steps in the deepest tree, with branches the
        average."""
        trees, is_cached = subject.trees, target.l1_bytes > 0
        if choice == TABLES:
            steps = len(trees.roots) * (trees.levels() or 0) * (CACHED_TABLE_STEP if is_cached else TABLE_STEP)
            return Cost(cycles=subject.samples * steps, flash=trees.rows * (ROW_BYTES + subject.weight_bytes))
        taken = sum(each.steps(root) for each in subject.by_target for root in each.roots)
        step = CACHED_BRANCH_STEP if is_cached else BRANCH_STEP
        return Cost(cycles=subject.samples * taken * step, flash=subject.branches * NODE_CODE)


def _small(subject: Ensemble, target: Target) -> Sequence[Candidate[str] | Refused]:
    """Propose tables where programs run from flash and branches would fill it."""
    return named(TABLES, BRANCHES) if not target.l1_bytes and subject.branches > MAX_FLASH_NODES else ()


def _cheapest(subject: Ensemble, target: Target) -> Sequence[Candidate[str] | Refused]:
    kind = EnsembleKind()
    return [
        Candidate(lambda name=name: name, name, kind.estimate(subject, name, target))
        if (reason := kind.legal(subject, name)) is None
        else Refused(name, reason)
        for name in kind.names
    ]
