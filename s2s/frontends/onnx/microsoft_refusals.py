"""Operators of com.microsoft that are refused, with a fact and a way out."""

from collections.abc import Iterator, Mapping, Sequence

_GROUPS: Sequence[tuple[str, str, Sequence[str]]] = (
    (
        "generates text in a loop of its own around networks",
        "compile the network of one step, and choose the words outside of it",
        ("BeamSearch", "GreedySearch", "NGramRepeatBlock", "Sampling", "SpeculativePrefixCommit", "WhisperBeamSearch"),
    ),
    (
        "attends through a cache that beams share or pages divide",
        "export the model with past keys and values as inputs, or with GroupQueryAttention",
        (
            *("DecoderAttention", "DecoderMaskedMultiHeadAttention", "DecoderMaskedSelfAttention", "PagedAttention"),
            *("SparsePagedAttention", "VarlenCausalConvWithState"),
        ),
    ),
    (
        "takes rows of words without padding, whose number depends on the data",
        "optimise the model without packing its rows",
        (
            *("PackedAttention", "PackedMultiHeadAttention", "PackedSparseAttentionIndexer"),
            *("PackedSparseAttentionIndexerMerge", "RemovePadding", "RestorePadding", "VarlenNGramHashMapping"),
        ),
    ),
    (
        "attends to a part of the keys that it chooses itself",
        "export the model with full attention",
        ("DynamicSparseAttention", "LongformerAttention", "SparseAttention", "SparseAttentionIndexer"),
    ),
    (
        "stores matrices in the order of CUDA's tensor cores",
        "quantise the model by quantize_static or quantize_dynamic for CPUs",
        (
            *("DequantizeWithOrder", "QOrderedAttention", "QOrderedGelu", "QOrderedLayerNormalization"),
            *("QOrderedLongformerAttention", "QOrderedMatMul", "QuantizeWithOrder"),
        ),
    ),
    (
        "stores weights in the order of one accelerator",
        "quantise the model by MatMulNBitsQuantizer, without packing for a device",
        (
            *("DequantizeBFP", "GatherPacked", "GemmFloat8", "MatMulBlockQuantizedFp4Weight"),
            *("MatMulBlockQuantizedFp8Weight", "MatMulFpQ4", "MatMulPacked", "MoEPacked", "QuantizeBFP"),
        ),
    ),
    (
        "chooses experts while the network runs",
        "export the experts as products of ONNX",
        ("MoE", "MoEGroupRouter", "QMoE", "RouterGateUpProj"),
    ),
    (
        "is written for training",
        "export the model for inference",
        ("BitmaskBiasDropout", "BitmaskDropout", "IsAllFinite"),
    ),
    (
        "holds a network that is compiled for one accelerator",
        "compile the model that it was made from",
        ("EPContext", "Snpe"),
    ),
    ("text is not supported", "process text outside the network", ("Tokenizer", "WordConvEmbedding")),
    (
        "the shape of its output depends on the data",
        "compute this part outside the network",
        ("BifurcationDetector", "DynamicTimeWarping"),
    ),
    ("has another form in ONNX", "use Unique of ONNX", ("Unique",)),
    (
        "this operator is not supported",
        "optimise the model without it, or define it as a local function of the model",
        (
            *("AttnLSTM", "BranchwiseRMSNorm", "CDist", "CausalConvWithState", "ComplexMul", "ComplexMulConj"),
            *("ConvStateReplay", "ConvTransposeWithDynamicPads", "CropAndResize", "EngramGate"),
            *("FusedMatMulActivation", "GatedDeltaNet", "GatedDeltaNetStateReplay", "GatedRelativePositionBias"),
            *("GemmaRotaryEmbedding", "HyperConnectionLowRankMix", "HyperConnectionPostMix", "HyperConnectionPreMix"),
            *("Inverse", "Irfft", "LinearAttention", "LinearAttentionGate", "MRotaryEmbedding", "Mamba2Verify"),
            *("MatMulNBitsMlp", "MatMulNBitsQLoRA", "MatMulNBitsQkv", "MaxpoolWithMask", "MurmurHash3"),
            *("NGramHashMapping", "RMSNormRotary", "Rfft", "SampleOp", "SparseToDenseMatMul", "SwiGLU"),
            *("TorchEmbedding", "UnfoldTensor"),
        ),
    ),
)


def _entries() -> Iterator[tuple[str, tuple[str, str]]]:
    for fact, way_out, names in _GROUPS:
        for name in names:
            yield name, (fact, way_out)


REFUSALS: Mapping[str, tuple[str, str]] = dict(_entries())
NCHWC = "com.microsoft.nchwc"
"""The domain of operators on images in blocks of channels, in which onnxruntime saves models at its highest level."""
_NCHWC_REFUSAL = (
    "stores images and weights in blocks of the processor on which the model was saved",
    "save the optimised model at level ORT_ENABLE_EXTENDED",
)


def refusal_of(domain: str, op_type: str) -> tuple[str, str] | None:
    """Why an operator of onnxruntime is refused, and what to do instead; None for operators that it does not have."""
    if domain == NCHWC:
        return _NCHWC_REFUSAL
    return REFUSALS.get(op_type) if domain == "com.microsoft" else None
