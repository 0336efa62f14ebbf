"""Iterate over the operations of a module and of a block."""

from collections.abc import Iterator

from xdsl.ir import Block, Operation


def walk(op: Operation) -> Iterator[Operation]:
    """Yield `op` and all operations nested in it in the order in which they are printed, as `Operation.walk` does, but
    without one generator per level of nesting. The module must not be changed meanwhile."""
    pending: list[Operation] = [op]
    while pending:
        op = pending.pop()
        yield op
        for region in reversed(op.regions):
            for block in reversed(region.blocks):
                last = block.last_op
                while last is not None:
                    pending.append(last)
                    last = last.prev_op


def operations(block: Block) -> list[Operation]:
    """Return the operations of a block. A list made of xDSL's `block.ops` counts them first, one by one."""
    found: list[Operation] = []
    op = block.first_op
    while op is not None:
        found.append(op)
        op = op.next_op
    return found
