"""Compute chains of kernels in row tiles, so that the tensors between them stay in a cache.

    %a = graph.call @expand(%x, %w) : … -> tensor<1x6x112x112x16xf32>
    %b = graph.call @depthwise(%a, %v) : … -> tensor<1x6x56x56x16xf32>
    %y = graph.call @project(%b, %u) : … -> tensor<1x2x56x56x16xf32>
->
    %y = graph.call @row_tiles(%x, %w, %v, %u) : … -> tensor<1x2x56x56x16xf32>
    @row_tiles: %a = tensor.compute … schedule #…<[tile_and_fuse<2 by 16 overlap [1, 0]>]>
                %b = tensor.compute … schedule #…<[tile_and_fuse<2 by 8>]>
                %y = tensor.compute … schedule #…<[tile_and_fuse<2 by 8>]>

Only a few rows of an intermediate tensor exist at a time: those of a tile, and those that the window reads beyond it,
which both neighbouring tiles compute. The height of a tile is a decision (`s2s/decisions/row_tiles.py`), by default as
many rows as fit half of the L2 cache.

A chain consists of kernels with one computation each, whose result is an image in blocks of channels, has the next
kernel as its only reader, and exceeds half of the L2 cache. Declined for targets without such a cache; where no equal
tile height divides the image; where padded windows compute anything but sums of products; where recomputed rows cost
more than the saved memory traffic; and where arithmetic dominates the time anyway.
"""

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.analysis.affine.strides import vectorizable
from s2s.analysis.network.constants import calls_of
from s2s.analysis.network.functions import is_network
from s2s.analysis.row_tiles.kernel_chains import ROW, RowTile, bytes_of, has_rows, tiles_of
from s2s.decisions.chooser import Chooser
from s2s.decisions.keys import task_key
from s2s.decisions.row_tiles import KernelChain, RowTilesKind
from s2s.dialects import graph, tensor
from s2s.dialects.graph import copy_provenance, provenance
from s2s.passes.context import given_of, target_of
from s2s.passes.graph.fuse_ops.names import UniqueNames
from s2s.passes.tensor.block_channels import BLOCKED, CHANNELS
from s2s.schedules.directives import TileAndFuse
from s2s.support.frozen import frozen
from s2s.targets import Target

NAME = "row_tiles"


class TileRows:
    """Rewrites the networks of one module."""

    def __init__(self, module: ModuleOp, target: Target, chooser: Chooser) -> None:
        self.module, self.target, self.chooser = module, target, chooser
        self.functions = {func.sym_name.data: func for func in module.ops if isinstance(func, FuncOp)}
        self.names = UniqueNames(list(self.functions))
        self.calls = calls_of(module)
        self.made: dict[tuple[int, tuple[str, ...], tuple[int, ...]], FuncOp] = {}

    def run(self) -> None:
        """Find the chains of all networks, and merge each into one kernel."""
        for func in list(self.functions.values()):
            if is_network(func):
                for chain in self._chains(func):
                    self._tile(chain)
        called = {op.callee.root_reference.data for op in self.module.walk() if isinstance(op, graph.CallOp)}
        for name, func in self.functions.items():
            if self.made and name in self.calls and name not in called and not func.is_declaration:
                Rewriter.erase_op(func)

    def _chains(self, func: FuncOp) -> list[list[graph.CallOp]]:
        """Return the longest chains of calls whose results exceed the cache and have one reader, the next call; where
        two chains meet, the first one continues."""
        chains: list[list[graph.CallOp]] = []
        taken: set[Operation] = set()
        for op in func.body.block.ops:
            chain = [op] if isinstance(op, graph.CallOp) and op not in taken and self._compute(op) else []
            while chain and (following := self._following(chain[-1])) is not None and following not in taken:
                chain.append(following)
            if len(chain) > 1:
                chains.append(chain)
                taken.update(chain)
        return chains

    def _following(self, call: graph.CallOp) -> graph.CallOp | None:
        value = call.results[0]
        if bytes_of(value) <= self.target.l2_bytes // 2 or not value.has_one_use():
            return None
        [use] = value.uses
        return use.operation if isinstance(use.operation, graph.CallOp) and self._compute(use.operation) else None

    def _compute(self, call: graph.CallOp) -> tensor.ComputeOp | None:
        """Return the only computation of the kernel of `call`, if its rows are image rows."""
        func = self.functions[call.callee.root_reference.data]
        ops = [] if func.is_declaration else list(func.body.block.ops)
        if len(ops) != 2 or not isinstance(ops[0], tensor.ComputeOp) or ops[0].schedule is not None:
            return None
        return ops[0] if has_rows(ops[0]) and vectorizable(ops[0]) else None

    def _tile(self, chain: Sequence[graph.CallOp]) -> None:
        """Merge the kernels of `chain` into one, if that is profitable."""
        func, operands = self._joined(chain)
        computes = [op for op in func.body.block.ops if isinstance(op, tensor.ComputeOp)]
        rows = self.chooser.choose(RowTilesKind(), self._subject(chain, func, computes))
        tiles = tiles_of(computes, rows) if rows else None
        if tiles is None:
            return
        callees = tuple(call.callee.root_reference.data for call in chain)
        key = rows, callees, tuple(map(operands.index, _outside(chain)))
        if key not in self.made:
            self.made[key] = func
            self.module.body.block.insert_op_before(func, self.functions[callees[0]])
            _set_tiles(computes, tiles)
        name = self.made[key].sym_name.data
        last = chain[-1]
        made = graph.CallOp(name, operands, last.result_types)
        made.attributes |= {key: last.attributes[key] for key in (BLOCKED, CHANNELS) if key in last.attributes}
        made.results[0].name_hint = last.results[0].name_hint
        copy_provenance(made, *chain)
        Rewriter.insert_op(made, InsertPoint.before(last))
        last.results[0].replace_all_uses_with(made.results[0])
        for call in reversed(chain):
            Rewriter.erase_op(call)

    def _joined(self, chain: Sequence[graph.CallOp]) -> tuple[FuncOp, list[SSAValue]]:
        """Build one kernel from the kernels of `chain`; return it with the operands of its call."""
        operands = list(dict.fromkeys(_outside(chain)))
        body = Block(arg_types=[operand.type for operand in operands])
        inside: dict[SSAValue, SSAValue] = dict(zip(operands, body.args, strict=True))
        for call in chain:
            kernel = self.functions[call.callee.root_reference.data]
            known: dict[SSAValue, SSAValue] = {
                old: inside[given] for old, given in zip(kernel.body.block.args, call.operands, strict=True)
            }
            for argument, new in known.items():
                new.name_hint = new.name_hint or argument.name_hint
            compute = self._compute(call)
            assert compute is not None
            copy = compute.clone(known)
            copy.results[0].name_hint = call.results[0].name_hint
            body.add_op(copy)
            inside[call.results[0]] = copy.results[0]
        result = inside[chain[-1].results[0]]
        body.add_op(ReturnOp(result))
        kind = FunctionType.from_lists([argument.type for argument in body.args], [result.type])
        func = FuncOp(self.names.make(NAME), kind, Region(body), visibility="private")
        func.attributes |= self.functions[chain[-1].callee.root_reference.data].attributes
        return func, operands

    def _subject(
        self, chain: Sequence[graph.CallOp], func: FuncOp, computes: Sequence[tensor.ComputeOp]
    ) -> KernelChain:
        names = ", ".join(call.callee.root_reference.data for call in chain)
        nodes = ", ".join(node for call in chain for node in provenance(call))
        return KernelChain(self.module, task_key(func, {}, self.target), names, nodes, tuple(computes))


def _outside(chain: Sequence[graph.CallOp]) -> list[SSAValue]:
    """Return the operands of the calls of a chain that no call of the chain computes."""
    results = {call.results[0] for call in chain}
    return [operand for call in chain for operand in call.operands if operand not in results]


def _set_tiles(computes: Sequence[tensor.ComputeOp], tiles: Sequence[RowTile]) -> None:
    """State the tiles that the computations share."""
    for op, tile in zip(computes, tiles, strict=True):
        fused = tensor.FusedTile(ROW, tile.size, tile.before, tile.after)
        op.properties["schedule"] = tensor.ScheduleAttr.of([TileAndFuse.of([fused])])


@frozen
class TileRowsPass(ModulePass):
    name = "tensor-tile-rows"

    target: str = "c"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(ctx, self.target)
        if target.lanes == 1 or not target.l2_bytes:
            return
        with Chooser(given_of(ctx), target) as chooser:
            TileRows(op, target, chooser).run()
