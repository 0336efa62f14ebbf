"""`s2s-opt`: run named passes on a module in text form, as `xdsl-opt` and `mlir-opt` do.

    s2s-opt -p graph-fold-batch-norm,graph-fuse-activation model.mlir
    s2s-opt -p loop-lower-to-c,c-name-temporaries -t c kernel.mlir

It knows the dialects of `CompilerContext`, the passes of `s2s.registry` and xDSL's `test` dialect. The values of
weights that the text names come from an `.npz` file (`--weights`) or are made up (`--sample-weights`).
"""

import argparse
import sys
from collections.abc import Sequence
from typing import IO

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Dialect
from xdsl.targets import get_all_targets
from xdsl.xdsl_opt_main import xDSLOptMain

from s2s.data.samples import sample
from s2s.dialects import c, graph
from s2s.errors import InputError
from s2s.passes.context import CompilerContext
from s2s.registry import available_passes
from s2s.types.dtypes import as_tensor_type
from s2s.types.weights import WeightStore


class OptMain(xDSLOptMain):
    """xDSL's driver, restricted to what s2s uses."""

    version_format = "s2s-opt on xDSL {xdsl_version}"

    def __init__(self, args: Sequence[str] | None = None) -> None:
        super().__init__("Run passes of s2s on a module in text form", args)
        if self.args.weights is not None:
            self.load_weights(self.args.weights)

    def register_all_dialects(self) -> None:
        """Register the dialects of the compiler, and xDSL's `test`."""
        self.ctx = CompilerContext()
        self.ctx.register_dialect("test", _test_dialect)

    def register_all_passes(self) -> None:
        """Register the passes of the compiler."""
        self.available_passes.update(available_passes())

    def register_all_targets(self) -> None:
        """Register the output formats: MLIR, or the C of functions and tables; a whole tree needs a whole
        compilation."""
        self.available_targets["mlir"] = get_all_targets()["mlir"]
        self.available_targets["c"] = print_c

    def register_all_arguments(self, arg_parser: argparse.ArgumentParser) -> None:
        """Add `--weights` to xDSL's arguments."""
        super().register_all_arguments(arg_parser)
        arg_parser.add_argument("--weights", metavar="FILE.npz", help="values of the weights that the module names")
        arg_parser.add_argument(
            "--sample-weights", action="store_true", help="make up values for the weights that have none"
        )

    def apply_passes(self, prog: ModuleOp) -> None:
        """Create the values of weights first if asked for, then run the passes."""
        if self.args.sample_weights:
            assert isinstance(self.ctx, CompilerContext)
            sample_weights(prog, self.ctx.weights)
        super().apply_passes(prog)

    def load_weights(self, path: str) -> None:
        """Put every array of the `.npz` file into the weight store under its own name."""
        import numpy as np

        assert isinstance(self.ctx, CompilerContext)
        with np.load(path) as arrays:
            for name in arrays.files:
                self.ctx.weights.add(name, arrays[name])


def sample_weights(module: ModuleOp, weights: WeightStore) -> None:
    """Give values to every weight that `module` names and `weights` lacks, and to the operation the hash of these
    values."""
    for op in module.walk():
        if isinstance(op, graph.WeightOp):
            name = op.weight_name.data
            if name not in weights:
                weights.add(name, sample(name, as_tensor_type(op.y.type)))
            op.hash = StringAttr(weights.hash(name))


def print_c(module: ModuleOp, stream: IO[str]) -> None:
    """Write the functions and tables of `module` as C."""
    from s2s.c_syntax.types import declaration
    from s2s.emit.statements import (
        FunctionWriter,
        global_definition,
        include_line,
        overlay_definition,
        struct_definition,
    )

    for op in module.body.block.ops:
        match op:
            case c.FuncOp():
                writer = FunctionWriter(op)
                lines = writer.definition() if op.body.blocks else writer.prototype()
            case c.GlobalOp() if op.weight is not None:
                lines = [f"extern {declaration(op.type, op.sym_name.data, const=True)};"]
            case c.GlobalOp():
                lines = global_definition(op)
            case c.OverlayOp():
                lines = overlay_definition(op)
            case c.StructOp():
                lines = struct_definition(op)
            case c.IncludeOp():
                lines = [include_line(op)]
            case _:
                raise InputError(f"{op.name}: is not C; lower the module first, with -p …,c-name-temporaries")
        stream.write("\n".join([*lines, "", ""]))


def _test_dialect() -> Dialect:
    from xdsl.dialects.test import Test

    return Test


def main(args: Sequence[str] | None = None) -> None:
    """Entry point of the `s2s-opt` command."""
    OptMain(sys.argv[1:] if args is None else args).run()


if __name__ == "__main__":
    main()
