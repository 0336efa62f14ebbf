"""Which function imports which operator, and why the others cannot be imported."""

from collections.abc import Mapping

from s2s.frontends.torch import (
    activation,
    affine,
    attention,
    chosen,
    control,
    conv,
    create,
    elementwise,
    indexing,
    linear,
    norm,
    pool,
    quantize,
    random,
    recurrent,
    reduce,
    resize,
    search,
    shape,
    slicing,
    special,
    spectrum,
    systems,
    vision,
)
from s2s.frontends.torch.node import Importer

_FAMILIES = (
    activation,
    attention,
    chosen,
    conv,
    create,
    elementwise,
    indexing,
    linear,
    norm,
    pool,
    random,
    recurrent,
    reduce,
    resize,
    search,
    shape,
    slicing,
    special,
    systems,
)

IMPORTERS: Mapping[tuple[str, str], Importer] = {
    **{("aten", name): importer for family in _FAMILIES for name, importer in family.IMPORTERS.items()},
    **{("higher_order", name): importer for name, importer in control.IMPORTERS.items()},
    **{("quantized_decomposed", name): importer for name, importer in quantize.IMPORTERS.items()},
    **{("torchao", name): importer for name, importer in affine.IMPORTERS.items()},
    **{("torchvision", name): importer for name, importer in vision.IMPORTERS.items()},
    **{("python", name): importer for name, importer in create.PYTHON.items()},
}
"""By namespace and operator; an importer reads all overloads that are not refused."""

_BACKWARD = ("computes gradients", "export the model for inference, under torch.no_grad()")
_DATA_DEPENDENT = ("the shape of its result depends on the data", "compute this part outside the network")
_COMPLEX = ("this operator is not supported on complex numbers", "compute with real and imaginary parts")
_UNKNOWN = ("this operator is not supported", "replace it by other operators")

REFUSALS: Mapping[str, tuple[str, str]] = {
    **{
        f"aten.{name}": _BACKWARD
        for name in (
            "_adaptive_avg_pool2d_backward",
            "avg_pool2d_backward",
            "convolution_backward",
            "embedding_dense_backward",
            "max_pool2d_with_indices_backward",
            "native_group_norm_backward",
            "native_layer_norm_backward",
        )
    },
    "aten.unique_consecutive": _DATA_DEPENDENT,
    "aten._local_scalar_dense": (
        "takes a number out of a tensor, on which the program then depends",
        "keep it a tensor, or make it an argument that is a number",
    ),
    "aten.resize_": ("changes the shape of a tensor in place", "use reshape"),
}
"""A fact and a way out for operators that are known and will not, or do not yet, work."""

KEPT = (
    "_upsample_nearest_exact1d",
    "_upsample_nearest_exact2d",
    "_upsample_nearest_exact3d",
    "gru.input",
    "index_add",
    "index_copy",
    "inverse",
    "linalg_cholesky",
    "linalg_inv",
    "linalg_solve",
    "linear",
    "lstm.input",
    "matmul",
    "reflection_pad1d",
    "reflection_pad2d",
    "reflection_pad3d",
    "replication_pad1d",
    "replication_pad2d",
    "replication_pad3d",
    "rms_norm",
    "rnn_relu.input",
    "rnn_tanh.input",
    "roll",
    "scaled_dot_product_attention",
    "upsample_bicubic2d",
    "upsample_bilinear2d",
    "upsample_linear1d",
    "upsample_nearest1d",
    "upsample_nearest2d",
    "upsample_nearest3d",
    "upsample_trilinear3d",
)
"""Operators that torch would decompose and that are imported whole: all overloads, or the one that is named."""


def importer_of(target: str, *, on_complex: bool = False) -> Importer | None:
    """The importer of an operator by its whole name, or of its calls `on_complex` numbers; None when it is refused."""
    if is_refused(target):
        return None
    namespace, operator = target.split(".")[:2]
    importer = IMPORTERS.get((namespace, operator))
    if namespace == "aten" and (on_complex or importer is None):
        return spectrum.importer_on_complex(operator, importer)
    return None if on_complex else importer


def is_refused(target: str) -> bool:
    """Whether it is known why an operator cannot be imported."""
    return target in REFUSALS or ".".join(target.split(".")[:2]) in REFUSALS


def refusal_of(target: str, *, on_complex: bool = False) -> tuple[str, str]:
    """Why an operator cannot be imported, and the way out."""
    if on_complex and not is_refused(target):
        return _COMPLEX
    return REFUSALS.get(target) or REFUSALS.get(".".join(target.split(".")[:2])) or _UNKNOWN
