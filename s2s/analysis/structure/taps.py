"""Find the constant of a sliding window whose rows of taps intrinsics take in groups of four bytes.

    w0 w1 w2 0  ->  w0 w1 w1 w2          pairs (w0, w1) and (w1, w2) once they are widened

Of four neighbours x0 … x3, the row at x0 takes the first pair and w2, the row at x1 takes w0 and the second pair.
Longer rows have a group for each further two taps; the last tap of a group is the first one of the next:

    w0 w1 w2 w3 w4 0 0 0  ->  w0 w1 w1 w2 | w2 w3 w3 w4

The row at x0 takes (w0, w1) at x0, (w2, w3) at x2 and w4 at x4; the row at x1 takes w0 at x1, (w1, w2) at x2 and
(w3, w4) at x4. So both load pairs from even positions alone.
"""

from xdsl.ir import BlockArgument, SSAValue

from s2s.analysis.structure.products import product_sum
from s2s.dialects import tensor


def constant_of_taps(op: tensor.ComputeOp, constants: frozenset[SSAValue]) -> BlockArgument | None:
    """Return the argument of a kernel that holds the taps of `op`, a sum of products with a copied window; None if it
    is no constant, or something else reads it too. `constants` are the constant arguments of the kernel."""
    cached, products = None if op.schedule is None else op.schedule.on(op).cached, product_sum(op)
    if cached is None or products is None:
        return None
    w = op.reads[products.other(cached.read).read]
    return w if isinstance(w, BlockArgument) and w in constants and w.has_one_use() else None


def fault_of_taps(op: tensor.ComputeOp, constants: frozenset[SSAValue]) -> str | None:
    """Return why the taps of `op` cannot be encoded; None if they can."""
    if constant_of_taps(op, constants) is not None:
        return None
    return "the taps of a window are no constant that is read once; leave tensorize out"
