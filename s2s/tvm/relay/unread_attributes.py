"""Attributes of TVM's operators that nothing here reads, each with the reason."""

from collections.abc import Mapping

_LAYOUT = "layouts are chosen by relay.build"
_STRATEGY = "other implementations are given by relay.register_strategy"
_KERNELS = "kernels are formed by relay.build; see relay.FuseOps.max_depth"
REFUSED: Mapping[str, str] = {
    "FInferCorrectLayout": _LAYOUT,
    "FTVMAlterOpLayout": _LAYOUT,
    "FTVMConvertOpLayout": _LAYOUT,
    "FTVMCompute": _STRATEGY,
    "FTVMSchedule": _STRATEGY,
    "FTVMStrategy": _STRATEGY,
    "TOpPattern": _KERNELS,
    "FPrimalGradient": "networks have no gradients here",
    "FShapeFunc": "sizes of results are computed by operators of s2s",
    "FTVMMixedPrecisionConversionType": "convert the model before it is imported",
    "FTVMFakeQuantizationToInteger": "quantised networks are read as such by importers",
    "TOpIsStateful": "operators are functions of their arguments",
}
"""Attributes of TVM's operators that nothing here reads."""
