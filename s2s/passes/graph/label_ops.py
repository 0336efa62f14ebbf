"""Label each kernel with a hash of what it computes.

    func.func private @conv_3x3_relu(…) attributes {kernel} { … }
->
    func.func private @conv_3x3_relu(…) attributes {kernel, hash = "9f3ac1d20b7e4451"} { … }

The hash covers operators, attributes, shapes and element types, but no names and no values of weights: equal layers of
two networks have equal hashes, so that tuners and tools can tell kernels. The graph JSON shows it at each node.
"""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.passes import ModulePass

from s2s.analysis.network.functions import is_kernel
from s2s.decisions.keys import group_key

HASH = "hash"
"""The attribute of a kernel."""


class LabelOpsPass(ModulePass):
    """Label kernels with a hash."""

    name = "graph-label-ops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, FuncOp) and is_kernel(function):
                ops = [each for each in function.body.block.ops if not isinstance(each, ReturnOp)]
                function.attributes[HASH] = StringAttr(group_key(ops))
