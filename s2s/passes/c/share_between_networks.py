"""Move kernels and constants that are equal in several networks to a module of their own, so that one tree holds them
once.

    builtin.module @kws { c.global @kws_w … weight "w"  c.func @kws_softmax(…) {…}  c.func @kws_run(…) { … } }
    builtin.module @ic  { c.global @ic_w  … weight "w"  c.func @ic_softmax(…) {…}   c.func @ic_run(…) { … } }
->
    builtin.module @models { c.global @models_w … weight "w"  c.func @models_softmax(…) {…} }
    builtin.module @kws { c.func @kws_run(…) { … c.call "models_softmax" … } }
    builtin.module @ic  { c.func @ic_run(…)  { … c.call "models_softmax" … } }

Two constants are equal if they have one type and one weight, and are in one memory; two kernels if they are equal but
for their names and comments, after constants are shared. Of kernels that differ in what is `restrict`, the one that
promises least stands for all. The shared ones are called after the option `prefix`.

Declined for kernels that are divided among threads, which are several functions, for kernels that name a table of their
own file, and between devices.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import chain

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from s2s.analysis.network.functions import DEVICE, POOL
from s2s.c_syntax.identifiers import unique_identifiers
from s2s.decisions.constants import CONSTANTS
from s2s.dialects import c
from s2s.dialects.walk import walk
from s2s.passes.c.kernel_text import is_whole_kernel, kernel_text
from s2s.support.frozen import frozen

NODES = "nodes: "
"""Begins the line of a kernel's comment that lists its source nodes."""


@frozen
class Member:
    """A kernel or a constant of one network."""

    network: ModuleOp
    op: c.FuncOp | c.GlobalOp

    @property
    def name(self) -> str:
        """Its C name."""
        return self.op.sym_name.data

    @property
    def stem(self) -> str:
        """Its C name without its network's name."""
        return self.name.removeprefix(f"{network_name(self.network)}_")


@frozen
class ShareBetweenNetworksPass(ModulePass):
    name = "c-share-between-networks"

    prefix: str = "shared"
    """The prefix of the names of what is shared."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        networks = [each for each in op.ops if isinstance(each, ModuleOp)]
        constants = _repeated(networks, _constant_key)
        named = self._named(constants, ())
        _rename(networks, named)
        kernels = _repeated(networks, _kernel_key)
        named_kernels = self._named(kernels, tuple(named.values()))
        _rename(networks, named_kernels)
        shared = [_kept(each) for each in chain(constants, kernels)]
        if not shared:
            return
        includes = [each.clone() for each in networks[0].ops if isinstance(each, c.IncludeOp)]
        forms = {key: form for each in networks if (form := each.attributes.get(key := CONSTANTS)) is not None}
        made = ModuleOp([*includes, *shared], attributes=dict(forms), sym_name=StringAttr(self.prefix))
        op.body.block.insert_op_before(made, networks[0])

    def _named(self, groups: Sequence[Sequence[Member]], taken: Sequence[str]) -> dict[str, str]:
        """Return the shared names by the names in the networks."""
        stems = [group[0].stem for group in groups]
        names = unique_identifiers(stems, prefix=f"{self.prefix}_", taken=taken)
        return {member.name: name for group, name in zip(groups, names, strict=True) for member in group}


def network_name(network: ModuleOp) -> str:
    """Return the name of a network's module."""
    return network.sym_name.data if network.sym_name is not None else ""


def _repeated(
    networks: Sequence[ModuleOp], key: Callable[[Operation, set[str]], Hashable | None]
) -> list[list[Member]]:
    """Return the groups of members that have one key, in the order of their first members."""
    groups: defaultdict[Hashable, list[Member]] = defaultdict(list)
    for network in networks:
        tables = {op.sym_name.data for op in network.ops if isinstance(op, c.GlobalOp) and op.weight is None}
        for op in network.ops:
            found = key(op, tables)
            if found is not None and isinstance(op, c.FuncOp | c.GlobalOp):
                groups[found].append(Member(network, op))
    return [group for group in map(_alike, groups.values()) if len(group) > 1]


def _alike(group: Sequence[Member]) -> list[Member]:
    """Return the members of `group` that the first of the result can stand for: it may promise with `restrict` no more
    than any of them does."""
    promises = {id(member): _restricted(member.op) for member in group}
    first = min(group, key=lambda member: len(promises[id(member)]))
    others = [each for each in group if each is not first and promises[id(first)] <= promises[id(each)]]
    return [first, *others]


def _restricted(op: Operation) -> frozenset[int]:
    """Return the numbers of the parameters that are `restrict`."""
    if not isinstance(op, c.FuncOp):
        return frozenset()
    types = enumerate(op.function_type.inputs)
    return frozenset(number for number, type in types if isinstance(type, c.PtrType) and type.is_restrict)


def _constant_key(op: Operation, tables: set[str]) -> Hashable | None:
    if not isinstance(op, c.GlobalOp) or op.weight is None:
        return None
    return op.weight, op.type, op.attributes.get(DEVICE), op.attributes.get(POOL)


def _kernel_key(op: Operation, tables: set[str]) -> Hashable | None:
    """Return a text that is equal for equal kernels; None for what cannot be shared."""
    if not isinstance(op, c.FuncOp) or not is_whole_kernel(op):
        return None
    if any(isinstance(each, c.SymbolOp) and each.symbol.data in tables for each in walk(op)):
        return None
    return kernel_text(op)


def _rename(networks: Sequence[ModuleOp], names: Mapping[str, str]) -> None:
    """Make calls and symbols refer to the shared names; definitions keep theirs until they are moved."""
    for network in networks:
        for op in walk(network):
            if isinstance(op, c.CallOp) and op.callee.data in names:
                op.callee = StringAttr(names[op.callee.data])
            elif isinstance(op, c.SymbolOp) and op.symbol.data in names:
                op.symbol = StringAttr(names[op.symbol.data])
            elif isinstance(op, c.FuncOp | c.GlobalOp) and op.sym_name.data in names:
                op.sym_name = StringAttr(names[op.sym_name.data])


def _kept(group: Sequence[Member]) -> Operation:
    """Detach the first member of `group` with the nodes of all, and erase the others."""
    first, *others = group
    if isinstance(first.op, c.FuncOp) and first.op.doc is not None:
        first.op.doc = StringAttr(_doc_of_all(group))
    for other in others:
        other.op.detach()
        other.op.erase()
    first.op.detach()
    return first.op


def _doc_of_all(group: Sequence[Member]) -> str:
    """Return the comment of the first kernel, with the nodes of each network."""
    lines: list[str] = []
    docs = [(network_name(member.network), _doc(member.op)) for member in group]
    for line in docs[0][1]:
        if not line.startswith(NODES):
            lines.append(line)
            continue
        for network in dict.fromkeys(network for network, _ in docs):
            listed = [each for name, doc in docs if name == network for each in doc if each.startswith(NODES)]
            lines.append(f"nodes of {network}: {', '.join(each.removeprefix(NODES) for each in listed)}")
    return "\n".join(lines)


def _doc(op: Operation) -> list[str]:
    return op.doc.data.splitlines() if isinstance(op, c.FuncOp) and op.doc is not None else []
