"""Print kernels without names and comments, so that kernels that compute the same have the same text.

    c.func @kws_scale(%y: …) attributes {doc = …} { … c.for %i = … named "i" … }
->
    c.func @kernel(%0: …) { … c.for %1 = … … }
"""

import re

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation

from s2s.analysis.network.functions import HOOK
from s2s.dialects import c
from s2s.dialects.walk import walk

_NAMES = re.compile(r' named "[^"]*"|(?<=c\.let) "[^"]*"|, restrict(?=>)')


def is_whole_kernel(op: Operation) -> bool:
    """Return whether `op` is a kernel that is one function: no entry function, no prototype, no hook of a device, none
    divided among threads."""
    if not isinstance(op, c.FuncOp) or not op.body.blocks or op.extents is not None or op.static is not None:
        return False
    if HOOK in op.attributes:
        return False
    before = op.prev_op
    return not (isinstance(before, c.StructOp) or (isinstance(before, c.FuncOp) and before.static is not None))


def kernel_text(kernel: c.FuncOp, *, literals: bool = True) -> str:
    """Return the text of `kernel` without names, comments and `restrict`; without `literals` their values are left
    out, too."""
    plain = kernel.clone()
    plain.sym_name = StringAttr("kernel")
    plain.doc = None
    plain.parameters = None
    for op in walk(plain):
        for result in op.results:
            result.name_hint = None
        for region in op.regions:
            for block in region.blocks:
                for argument in block.args:
                    argument.name_hint = None
    for argument in plain.body.block.args:
        argument.name_hint = None
    text = _NAMES.sub("", str(plain))
    return text if literals else _LITERALS.sub("c.literal :", text)


_LITERALS = re.compile(r"c\.literal \S+ :")
