"""Find the importer and the declaration of an operator, and the reason why others cannot be imported."""

from collections.abc import Mapping

from s2s.frontends.onnx import activation, conv, elementwise, linear, norm, pool, reduce, shape
from s2s.frontends.onnx.node import Importer
from s2s.frontends.onnx.signature import Signature, signature

COMMON: Mapping[tuple[str, str], Importer] = {
    ("", name): importer
    for family in (activation, conv, elementwise, linear, norm, pool, reduce, shape)
    for name, importer in family.IMPORTERS.items()
}
"""The operators that most networks consist of, by domain and name; the families of others are loaded on demand."""
CONVERTING = frozenset(
    ["BitCast", "Cast", "CastLike", "Constant", "ConstantOfShape", "DequantizeLinear", "QuantizeLinear"]
)
"""Operators that know of narrow element types; all others that take them only move elements."""
READING = frozenset(["Cast", "LabelEncoder", "Shape", "Size"])
"""Operators that take texts and know of them."""


def importer_of(domain: str, op_type: str) -> Importer | None:
    """Return the importer of an operator, None where there is none. The first operator that is none of the common ones
    loads all others."""
    if (domain, op_type) in COMMON:
        return COMMON[domain, op_type]
    from s2s.frontends.onnx.operators import IMPORTERS

    return IMPORTERS.get((domain, op_type))


def declaration(domain: str, op_type: str, opset: int) -> Signature | None:
    """The signature of an operator, None when `opset` of `domain` has no such operator."""
    if (domain, op_type) in COMMON:
        return signature(domain, op_type, opset)
    from s2s.frontends.onnx.operators import declaration_of

    return declaration_of(domain, op_type, opset)


_IMAGE = ("decodes files of images, whose sizes depend on the data", "decode them outside the network")
_TEXT = ("text is not supported", "process text outside the network")
_SEQUENCE = ("sequences, optionals and maps are not supported", "use tensors")
_MAP = ("takes a map, and networks take tensors", "make a tensor of it outside the network")
_CATEGORIES = ("converts between text and numbers, and text is not supported", "convert outside the network")

REFUSALS: Mapping[tuple[str, str], tuple[str, str]] = {
    ("", "ImageDecoder"): _IMAGE,
    **{("ai.onnx.ml", name): _MAP for name in ("CastMap", "DictVectorizer")},
    ("ai.onnx.ml", "CategoryMapper"): _CATEGORIES,
    **{("", name): _TEXT for name in ("StringConcat", "StringNormalizer", "StringSplit", "RegexFullMatch")},
    **{
        ("", name): _SEQUENCE
        for name in (
            "ConcatFromSequence",
            "Optional",
            "OptionalGetElement",
            "OptionalHasElement",
            "SequenceAt",
            "SequenceConstruct",
            "SequenceEmpty",
            "SequenceErase",
            "SequenceInsert",
            "SequenceLength",
            "SequenceMap",
            "SplitToSequence",
        )
    },
}
"""A fact and a way out for operators that are known and will not, or do not yet, work."""
