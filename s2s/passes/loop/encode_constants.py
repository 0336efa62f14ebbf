"""Store constants of few different values as codes of four bits, and tables of the values behind them.

    %w = loop.weight "w" : memref<2304xi8>             16 channels of 144 numbers, each with 16 different ones
    func.call @conv(%y, %x, %w)                        loop.load %w[…] …
->
    %w = loop.weight "w_codes" : memref<1408xi8>       1152 bytes of codes and 16 tables
    func.call @conv(%y, %x, %w)                        loop.look_up_group %w[…, 1152 + oc * 16] …
or
    %w = loop.alloc : memref<2304xi8>
    func.call @conv_constants(%w, %codes)              decodes all of them
    func.call @conv(%y, %x, %w)                        as it was

The values decide, not the file: those of TFLite-Micro's compressed models are plain numbers up to here, and those of
clustered models too. Which form is taken is a decision (`s2s/decisions/constant_codes.py`).

Declined where a table serves no more numbers than it has values, for constants of four bits (`loop-pack-nibbles`), and
for kernels that inner networks call.
"""

from xdsl.context import Context
from xdsl.dialects.builtin import MemRefType, ModuleOp, i8
from xdsl.ir import BlockArgument
from xdsl.passes import ModulePass

from s2s.decisions.chooser import Chooser
from s2s.passes.context import given_of, target_of, weights_of
from s2s.passes.loop.main_kernels import kernels_of_main
from s2s.support.frozen import frozen
from s2s.types.hints import isa


@frozen
class EncodeConstantsPass(ModulePass):
    name = "loop-encode-constants"

    target: str = "c"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        store = weights_of(ctx)
        with Chooser(given_of(ctx), target_of(ctx, self.target)) as chooser:
            for kernel, calls in list(kernels_of_main(op)):
                for argument in filter(_are_bytes, list(kernel.args)):
                    from s2s.passes.loop.coded_constant import CodedArgument

                    found = CodedArgument.of(argument, kernel, calls, store)
                    if found is not None:
                        found.store_as(found.chosen(chooser))


def _are_bytes(argument: BlockArgument) -> bool:
    return isa(argument.type, MemRefType) and argument.type.element_type == i8


__all__ = ["EncodeConstantsPass"]
