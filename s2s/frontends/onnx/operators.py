"""The importers of all operators."""

from collections.abc import Mapping

from s2s.frontends.onnx import (
    activation,
    center,
    constant,
    control,
    conv,
    einsum,
    elementwise,
    fused,
    indexing,
    learned,
    linear,
    losses,
    microsoft,
    ngrams,
    norm,
    pool,
    quant,
    random,
    recurrent,
    reduce,
    regions,
    resize,
    sampling,
    shape,
    signal,
    slicing,
    superblocks,
    support_vectors,
    suppression,
    trees,
)
from s2s.frontends.onnx.node import Importer
from s2s.frontends.onnx.signature import Signature, signature

_FAMILIES = (
    activation,
    center,
    constant,
    control,
    conv,
    einsum,
    elementwise,
    indexing,
    linear,
    losses,
    ngrams,
    norm,
    pool,
    quant,
    random,
    recurrent,
    reduce,
    regions,
    resize,
    sampling,
    shape,
    signal,
    slicing,
    suppression,
)
_ML_FAMILIES = (elementwise, indexing, learned, support_vectors, trees)
_ML = "ai.onnx.ml"
IMPORTERS: Mapping[tuple[str, str], Importer] = {
    **{("", name): importer for family in _FAMILIES for name, importer in family.IMPORTERS.items()},
    **{(_ML, name): importer for family in _ML_FAMILIES for name, importer in family.ML_IMPORTERS.items()},
    **{(microsoft.DOMAIN, name): importer for name, importer in microsoft.IMPORTERS.items()},
    **{(superblocks.DOMAIN, name): importer for name, importer in superblocks.IMPORTERS.items()},
    **{("", name): fused.IMPORTERS[name] for name in fused.ONNX_DOMAIN},
}
"""By domain and operator."""


def declaration_of(domain: str, op_type: str, opset: int) -> Signature | None:
    """The signature of an operator, None when `opset` of `domain` has no such operator."""
    if domain == superblocks.DOMAIN:
        return superblocks.signature(op_type)
    added = domain == "" and op_type in fused.ONNX_DOMAIN
    return microsoft.signature(op_type) if added or domain == microsoft.DOMAIN else signature(domain, op_type, opset)
