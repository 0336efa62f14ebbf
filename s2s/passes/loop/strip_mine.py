"""Let the iterations of a loop run side by side, as many at a time as the vectors of the processor hold.

    loop.for %c = 0 to 64 {
      …
      loop.store %a, %y[…(%c)]
      %b = loop.load %x[…(%c)]
      …
    } {strip_mine}
->
    loop.for %c = 0 to 64 scalable {
      …
      %b = loop.load %x[…(%c)]
      …
      loop.store %a, %y[…(%c)]
    }

How many these are is known at run time only; the last turn has fewer. A schedule asks for it (`strip_mine`). Stores
move to the end of the body: then no lane is stored before all lanes are loaded, and whatever memory a result may take
over when iterations run one by one, it may take over here.

Declined where an operation has no form in such vectors, or an iteration may read what another one writes. The loop then
takes its elements one by one, and the mark says why.
"""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass

from s2s.analysis.structure.strips import Strips
from s2s.dialects import loop
from s2s.dialects.walk import walk


class StripMinePass(ModulePass):
    name = "loop-strip-mine"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for around in [around for around in walk(op) if isinstance(around, loop.ForOp)]:
            if loop.STRIP_MINE not in around.attributes:
                continue
            fault = Strips(around).fault()
            if fault is not None:
                around.attributes[loop.STRIP_MINE] = StringAttr(fault)
                continue
            del around.attributes[loop.STRIP_MINE]
            _store_last(around)
            around.properties["kind"] = StringAttr(loop.SCALABLE)


def _store_last(around: loop.ForOp) -> None:
    """Move the stores of a loop to the end of its body, in their order."""
    block = around.body.block
    last = block.last_op
    assert last is not None
    for store in [op for op in block.ops if isinstance(op, loop.StoreOp)]:
        store.detach()
        block.insert_op_before(store, last)
