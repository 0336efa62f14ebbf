"""The trait of functions whose operations use only what is computed before them in the same function."""

from xdsl.ir import Block, Operation
from xdsl.traits import IsolatedFromAbove
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.walk import operations


class ComputedBeforeUse(IsolatedFromAbove):
    """Operands are results of operations before the user, or arguments of blocks around it, in the same operation.

    `IsolatedFromAbove` only asks whether an operand belongs to the operation, and climbs from each operand to it; this
    is one walk, which knows what has been computed so far.
    """

    def verify(self, op: Operation) -> None:
        for region in op.regions:
            for block in region.blocks:
                _verify(block, set())


def _verify(block: Block, computed: set[int]) -> None:
    """Check the operations of `block`; `computed` holds the identities of the values visible to its first one."""
    own = list(map(id, block.args))
    computed.update(own)
    for op in operations(block):
        if not computed.issuperset(map(id, op.operands)):
            raise VerifyException(
                f"Operation using value defined out of its IsolatedFromAbove parent, or after it: {op}"
            )
        for region in op.regions:
            for inner in region.blocks:
                _verify(inner, computed)
        results = list(map(id, op.results))
        own += results
        computed.update(results)
    computed.difference_update(own)
