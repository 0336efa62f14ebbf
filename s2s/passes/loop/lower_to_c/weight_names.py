"""Choose C names for weights that tell their layer and their role in it.

    conv.weight_packed, conv.bias                                   ->  conv_weight, conv_bias
    onnx::Conv_290_packed, first read by node /3/seq/seq.0/Conv     ->  3_seq_0_weight
    functional_1/activation/Relu;functional_1/batch_normali…/shift  ->  conv1_shift

The model's own names are best. Exporters and converters make up others, which the path of the node that reads it
replaces. Where that is too long to tell weights apart, all weights of the network are called after their kernels.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Block, Operation, SSAValue

from s2s.analysis.network.functions import INIT, LOADED
from s2s.c_syntax.identifiers import SIGNIFICANT, c_identifier
from s2s.dialects import loop
from s2s.dialects.graph.traits import provenance
from s2s.passes.loop.plan_memory import operations_of_networks

MAX_LENGTH = 36
"""The maximum length of a readable name."""
_INVENTED = re.compile("::|;")
"""Substrings of names that exporters and converters have generated."""
_KINDS = (("depthwise_conv", "dw"), ("grouped_conv", "conv"), ("conv", "conv"), ("matmul", "fc"))
_WEIGHTS = ("w", "b")
"""Kernel parameters whose role is "weight"."""


class Reader(NamedTuple):
    """The first call that reads a weight."""

    nodes: tuple[str, ...]
    kernel: str
    parameter: str
    number: int
    """The number of the call among the calls of its kind of kernel, from 1."""

    @property
    def kind(self) -> str:
        """The abbreviated kind of the kernel."""
        return kind_of(self.kernel)

    @property
    def short(self) -> str:
        """`conv1_w`"""
        return f"{self.kind}{self.number}_{'w' if self.parameter in _WEIGHTS else self.parameter}"

    @property
    def long(self) -> str:
        """`f.1/seq.0/weight`"""
        return f"{self.path}/{'weight' if self.parameter in _WEIGHTS else self.parameter}"

    @property
    def path(self) -> str:
        """The path of the first node in the model without its operator: `/f/f.1/seq/seq.0/Conv` is `f.1/seq.0`."""
        found: list[str] = []
        parts = [part for part in (self.nodes[0] if self.nodes else "").split("/") if part]
        for part in parts[:-1] or parts:
            if found and part.startswith(f"{found[-1]}."):
                found.pop()
            found.append(part)
        return "/".join(found)


def kind_of(kernel: str) -> str:
    """Return the abbreviated kind of a kernel."""
    return next((short for name, short in _KINDS if kernel.startswith(name)), kernel.split("_")[0])


def weight_texts(module: ModuleOp, names: Sequence[str], prefix: str) -> list[str]:
    """Return a text for each of the weights `names`, to make its identifier behind `prefix` from."""
    readers = _readers(module)
    given = [(name.removesuffix("_packed"), readers.get(name)) for name in names]
    by_path = [reader.long if reader and _INVENTED.search(name) else name for name, reader in given]
    return by_path if _tell_apart(by_path, prefix) else [reader.short if reader else name for name, reader in given]


def _tell_apart(texts: Sequence[str], prefix: str) -> bool:
    """Return whether the identifiers of `texts` are short and distinct."""
    found = [c_identifier(f"{prefix}{text}", SIGNIFICANT + MAX_LENGTH) for text in texts]
    return len({name[:SIGNIFICANT] for name in found}) == len(found) and max(map(len, found), default=0) <= MAX_LENGTH


def _readers(module: ModuleOp) -> dict[str, Reader]:
    """Return the first reader of each weight, be it through a copy."""
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp)}
    found: dict[str, Reader] = {}
    counts: dict[str, int] = {}
    copied: dict[SSAValue, Block | Operation] = {}
    for call in operations_of_networks(module):
        if isinstance(call, loop.DeviceCopyOp | loop.StartDeviceCopyOp):
            copied[call.target] = call.source.owner
        if not isinstance(call, CallOp):
            continue
        kernel = call.callee.root_reference.data
        kind = kind_of(kernel)
        read = [_weight_of(copied.get(each, each.owner)) for each in call.arguments]
        if any(weight is not None for weight in read):
            counts[kind] = counts.get(kind, 0) + 1
        for weight, parameter in zip(read, functions[kernel].args, strict=True):
            if weight is not None:
                reader = Reader(tuple(provenance(call)), kernel, parameter.name_hint or "x", counts[kind])
                found.setdefault(weight, reader)
    return found


def _weight_of(owner: Block | Operation) -> str | None:
    """Return the weight that an argument of a call is, or that it is loaded from."""
    if isinstance(owner, loop.ViewOp) and LOADED in owner.attributes:
        init = owner.attributes[INIT]
        return init.data if isinstance(init, StringAttr) else None
    return owner.weight.data if isinstance(owner, loop.WeightOp) else None
