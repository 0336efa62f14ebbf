"""Apply rewrite patterns to a module until none matches.

What xDSL's greedy driver does, without a visit to operations that no pattern is for: most passes find a few of
thousands. A pattern says which operations it is for by the annotation of its method.
"""

import inspect
from collections.abc import Callable, Sequence
from functools import wraps
from typing import TypeVar, get_args, get_type_hints

from xdsl import pattern_rewriter
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriterListener, RewritePattern
from xdsl.rewriter import InsertPoint
from xdsl.transforms.dead_code_elimination import is_trivially_dead
from xdsl.utils.worklist import Worklist

from s2s.types.weights import WeightStore

PatternT = TypeVar("PatternT", bound=RewritePattern)
OperationT = TypeVar("OperationT", bound=Operation)


class WeightPattern(RewritePattern):
    """A pattern that reads weights or makes new ones."""

    def __init__(self, store: WeightStore) -> None:
        self.store = store


def op_type_rewrite_pattern(
    method: Callable[[PatternT, OperationT, PatternRewriter], None],
) -> Callable[[PatternT, Operation, PatternRewriter], None]:
    """xDSL's decorator of `match_and_rewrite`, whose annotation `rewrite` can still read."""
    return wraps(method)(pattern_rewriter.op_type_rewrite_pattern(method))


def rewrite(module: ModuleOp, *patterns: RewritePattern) -> None:
    """Apply to every operation the first of `patterns` that matches, until none matches anywhere.

    Pure operations without uses are erased on the way, so that a pattern may ask whether a value has one use.
    """
    driver = _Driver(patterns, module)
    while driver.sweep(module.body):
        pass


def _matched_by(pattern: RewritePattern) -> tuple[type[Operation], ...]:
    """Return the classes of operations that a pattern matches."""
    kind = get_type_hints(inspect.unwrap(type(pattern).match_and_rewrite))["op"]
    return get_args(kind) or (kind,)


class _Rewriter(PatternRewriter):
    """A rewriter that patterns use for one operation after the other."""

    def turn_to(self, op: Operation) -> None:
        """Begin with another operation."""
        self._current_operation = op
        self.insertion_point = InsertPoint.before(op)
        self.name_hint = None
        self.has_done_action = False


class _Driver:
    """Applies patterns to the operations of a worklist, and adds what a rewrite has changed to the worklist."""

    def __init__(self, patterns: Sequence[RewritePattern], module: ModuleOp) -> None:
        self.kinds = [(pattern, _matched_by(pattern)) for pattern in patterns]
        self.patterns: dict[type[Operation], list[RewritePattern]] = {}
        """Patterns for the operations of each class that was met."""
        self.worklist = Worklist[Operation]()
        self.rewriter = _Rewriter(InsertPoint.at_start(module.body.block))
        self.rewriter.extend_from_listener(
            PatternRewriterListener(
                operation_insertion_handler=[self.worklist.push],
                operation_modification_handler=[self.worklist.push],
                operation_removal_handler=[self._removed],
                operation_replacement_handler=[self._replaced],
            )
        )

    def _patterns_for(self, op: Operation) -> list[RewritePattern]:
        """The patterns for operations of the class of `op`, in order."""
        found = self.patterns.get(type(op))
        if found is None:
            found = self.patterns[type(op)] = [pattern for pattern, kinds in self.kinds if isinstance(op, kinds)]
        return found

    def sweep(self, region: Region) -> bool:
        """Visit the operations of `region`; return whether any was rewritten."""
        self._push_all(region)
        changed = False
        while self.worklist:
            changed |= self._visit(self.worklist.pop())
        return changed

    def _push_all(self, region: Region) -> None:
        """Put the operations that may be rewritten or erased on the worklist, the first one on top."""
        for block in reversed(region.blocks):
            for op in reversed(block.ops):
                for inner in reversed(op.regions):
                    self._push_all(inner)
                if self._patterns_for(op) or all(result.first_use is None for result in op.results):
                    self.worklist.push(op)

    def _visit(self, op: Operation) -> bool:
        """Erase `op` if it is dead, else apply the first pattern that matches; return whether it did anything."""
        rewriter = self.rewriter
        rewriter.turn_to(op)
        if is_trivially_dead(op):
            rewriter.erase(op)
            return True
        for pattern in self._patterns_for(op):
            try:
                pattern.match_and_rewrite(op, rewriter)
            except Exception as error:
                op.emit_error(f"Error while applying pattern: {error}", underlying_error=error)
            if rewriter.has_done_action:
                return True
        return False

    def _removed(self, op: Operation) -> None:
        for operand in op.operands:
            if isinstance(operand.owner, Operation) and not operand.has_more_than_one_use():
                self.worklist.push(operand.owner)
        for inner in op.walk():
            self.worklist.remove(inner)

    def _replaced(self, op: Operation, _: Sequence[SSAValue | None]) -> None:
        for result in op.results:
            for use in result.uses:
                self.worklist.push(use.operation)
