"""Passes on networks as functions from a module to a module, under TVM's names.

mod = relay.transform.FoldConstant()(mod)
"""

from functools import partial
from typing import TYPE_CHECKING

from s2s.errors import UnsupportedError
from s2s.passes.graph.parallel_branches import MIN_BRANCHES
from s2s.tvm.refusals import GENERATORS, GRADIENT
from s2s.tvm.relay.legalize import Legalize
from s2s.tvm.relay.normal_forms import AnnotateSpans, ToANormalForm, ToANormalFormExpr, ToGraphNormalForm
from s2s.tvm.relay.unused_functions import RemoveUnusedFunctions
from s2s.tvm.transform import FunctionPass, ModulePass, Pass, function_pass, module_pass, named


def CombineParallelBatchMatmul(min_num_branches: int = MIN_BRANCHES) -> Pass:  # noqa: N802
    """Products of one stack of matrices become one, if there are at least this many."""
    return named("CombineParallelBatchMatmul", min_branches=min_num_branches)


def CombineParallelConv2D(min_num_branches: int = MIN_BRANCHES) -> Pass:  # noqa: N802
    """Convolutions of one input become one, if there are at least this many."""
    return named("CombineParallelConv2D", min_branches=min_num_branches)


def CombineParallelDense(min_num_branches: int = MIN_BRANCHES) -> Pass:  # noqa: N802
    """Dense layers of one input become one, if there are at least this many."""
    return named("CombineParallelDense", min_branches=min_num_branches)


CanonicalizeOps = partial(named, "CanonicalizeOps")
"""Bias and per-channel factors go into weights."""
DeadCodeElimination = partial(named, "DeadCodeElimination")
"""Operations whose results nothing reads are erased."""
EliminateCommonSubexpr = partial(named, "EliminateCommonSubexpr")
"""Equal operations become one."""
FoldConstant = partial(named, "FoldConstant")
"""Operations on constants are evaluated."""
FoldScaleAxis = partial(named, "FoldScaleAxis")
"""Factors of channels go into the weights of convolutions and products."""
BackwardFoldScaleAxis = partial(named, "BackwardFoldScaleAxis")
"""Factors of channels go into the weights of the layer before them."""
ForwardFoldScaleAxis = partial(named, "ForwardFoldScaleAxis")
"""Factors of channels go into the weights of the layer behind them."""
InferType = partial(named, "InferType")
"""A copy of the module, as types are always known."""
Inline = partial(named, "Inline")
"""Calls of functions become their bodies."""
LabelOps = partial(named, "LabelOps")
"""Kernels get a hash of what they compute."""
SimplifyExpr = partial(named, "SimplifyExpr")
"""Identities, chains of reshapes and forms of clip are simplified."""
SimplifyInference = partial(named, "SimplifyInference")
"""Batch norms become factors and offsets."""

_FORM = "expressions have one form; visit them with ExprVisitor, or write them with relay.Let"
_PIPELINE = "it is part of relay.build; use PassContext to leave it out, and s2s inspect to look on"
_OTHER = "there is no pass for it; write one with relay.transform.function_pass"
REFUSED: dict[str, str] = {
    "AlterOpLayout": _PIPELINE,
    "AnnotateTarget": GENERATORS,
    "BatchingOps": "use CombineParallelDense and CombineParallelBatchMatmul",
    "CanonicalizeCast": _OTHER,
    "CapturePostDfsIndexInSpans": "expressions keep no places of text",
    "ChangeBatch": "write the network with the other batch, or import the model with it",
    "CollagePartition": GENERATORS,
    "Conv2dToSparse": "weights are dense",
    "Conv2dToSparse2": "weights are dense",
    "ConvertLayout": "layouts are chosen by relay.build; TVM's would change what inputs and outputs mean",
    "Defunctionalization": "functions are no values",
    "DefuseOps": "kernels are formed by relay.build, not in a module",
    "DenseToSparse": "weights are dense",
    "DivToMul": _OTHER,
    "DynamicToStatic": "networks written in relay have sizes that are numbers",
    "EtaExpand": _FORM,
    "FakeQuantizationToInteger": "quantised networks are read as such by importers",
    "FastMath": "functions of the C library are exact to their last bits; there is no faster form of less precision",
    "FirstOrderGradient": GRADIENT,
    "FlattenAtrousConv": _OTHER,
    "FoldConstantExpr": "use FoldConstant on a module",
    "FoldExplicitPadding": _PIPELINE,
    "FuseOps": _PIPELINE,
    "InferTypeLocal": "types are known when an expression is made; read checked_type",
    "InlineCompilerFunctionsBoundTo": GENERATORS,
    "LambdaLift": "functions are no values",
    "LayoutConfig": "layouts are chosen by relay.build",
    "LazyGradientInit": GRADIENT,
    "ManifestLifetimes": "memory is planned by relay.build",
    "MarkCompilerFunctionsAsExtern": GENERATORS,
    "MergeCompilerRegions": GENERATORS,
    "MergeComposite": GENERATORS,
    "OutlineCompilerFunctionsWithExistingGlobalSymbols": GENERATORS,
    "PartialEvaluate": "use FoldConstant",
    "PartitionGraph": GENERATORS,
    "PlanDevices": _PIPELINE,
    "fake_quantization_to_integer": "quantised networks are read as such by importers",
    "mixed_precision": "convert the model before it is imported",
    "FlexibleShapeDispatch": "a network is compiled for the sizes of its arrays; see relay.create_executor",
    "SimplifyFCTranspose": _OTHER,
    "SplitArgs": "give max_function_args to the target",
    "ToBasicBlockNormalForm": _FORM,
    "ToCPS": _FORM,
    "ToMixedPrecision": "convert the model before it is imported",
    "recast": "convert the model before it is imported",
    "build_config": "use tvm.transform.PassContext",
    "gradient": GRADIENT,
    "to_cps": _FORM,
    "un_cps": _FORM,
}
"""Passes of TVM that there are not, and the reason or the way to the same."""


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in REFUSED:
            raise AttributeError(f"module 's2s.tvm.relay.transform' has no attribute {name!r}")

        def refused(*_: object, **__: object) -> Pass:
            raise UnsupportedError(f"relay.transform.{name}: is not a pass on a module here; {REFUSED[name]}")

        return refused


__all__ = [
    "AnnotateSpans",
    "BackwardFoldScaleAxis",
    "CanonicalizeOps",
    "CombineParallelBatchMatmul",
    "CombineParallelConv2D",
    "CombineParallelDense",
    "DeadCodeElimination",
    "EliminateCommonSubexpr",
    "FoldConstant",
    "FoldScaleAxis",
    "ForwardFoldScaleAxis",
    "FunctionPass",
    "InferType",
    "Inline",
    "LabelOps",
    "Legalize",
    "ModulePass",
    "Pass",
    "RemoveUnusedFunctions",
    "SimplifyExpr",
    "SimplifyInference",
    "ToANormalForm",
    "ToANormalFormExpr",
    "ToGraphNormalForm",
    "function_pass",
    "module_pass",
]
