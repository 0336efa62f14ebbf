"""The options that say what a caller passes to a network, and gets from it."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, cast

from s2s.errors import InputError
from s2s.options import values
from s2s.options.declaration import option, options_class

if TYPE_CHECKING:
    from s2s.types.numbers import Numbers
    from s2s.types.sizes import DimSize, InputShapes
    from s2s.types.sliding import Pushed, Sliding


def _texts_of(given: Iterable[object] | None) -> tuple[str, ...]:
    """Return the texts of steps in order."""
    if not isinstance(given, list | tuple | None):
        raise InputError(f'pre, post: {given!r} given; give a list of steps: [s2s.pre.Grey(), "normalise:std=255"]')
    return tuple(map(str, cast("Iterable[object]", given or ())))


@options_class
class InputOptions:
    """The options about inputs and outputs."""

    shapes: "InputShapes" = option(
        default=None,
        converter=values.shapes_of,
        stages=("read",),
        help="Shape of an input whose dimensions are open; a letter names one for --dim, as in x=N,28,28",
        group="Inputs",
        flags=("--shape",),
        metavar="NAME=D,D,…",
        is_repeated=True,
        is_of_files=True,
    )
    bind: "Mapping[str, Numbers]" = option(
        default=None,
        converter=values.bindings_of,
        stages=("read",),
        help="Make an input of an ONNX model a constant of these numbers",
        group="Inputs",
        metavar="NAME=N,N,…|@FILE.npy",
        is_expert=True,
        is_repeated=True,
        is_of_files=True,
    )
    """Inputs of an ONNX model that become constants, with their values: `{"sr": 16000}`."""
    dims: "Mapping[str, DimSize]" = option(
        default=None,
        converter=values.dims_of,
        stages=("read", "simplify", "graph", "compute", "tensor", "c"),
        help="Size of a dimension that the model or --shape names, or its bounds (N=1..128) to give it at run time, in "
        "steps (N=32..640:+32), with kernels for some sizes (N=1..128:64,128)",
        group="Inputs",
        flags=("--dim",),
        metavar="NAME=D",
        is_repeated=True,
        is_of_files=True,
    )
    """Sizes of open dimensions by name: `{"batch": 1}`; within bounds at run time: `{"sequence": (1, 128)}`."""
    ports: values.Ports = option(
        default="model",
        stages=("read",),
        help="Inputs and outputs as the model has them, or `int8`: as bytes where it quantises an input first and "
        "dequantises an output last; the header states scale and zero point.",
        group="Inputs",
    )
    states: Mapping[str, str] = option(
        default=None,
        converter=values.states_of,
        stages=("read",),
        help="Keep output OUT of a run as input IN of the next one; a star stands for equal parts of names of an ONNX "
        "model, past.*=present.*",
        group="Inputs",
        flags=("--state",),
        metavar="IN=OUT",
        is_repeated=True,
    )
    """Inputs that are the outputs of the run before, by their names: `{"hidden": "new_hidden"}`."""
    streams: "Mapping[str, Sliding]" = option(
        default=None,
        converter=values.streams_of,
        stages=("read",),
        help="An input that is a window which slides along an axis: a run takes only the new frames, by default as few "
        "as the network allows",
        group="Inputs",
        flags=("--stream",),
        metavar="INPUT:AXIS[=FRAMES]",
        is_repeated=True,
    )
    """Inputs that are sliding windows, by name, with axis and frames: a run takes the frames, and computes the rest."""
    pre: tuple[str, ...] = option(
        default=(),
        converter=_texts_of,
        stages=("read",),
        help="A step before an input, in the same function: features of sound, or what an image needs (mfcc:step=20ms)",
        group="Inputs",
        metavar="[INPUT=]STEP[:PARAMETER=VALUE,…]",
        is_repeated=True,
    )
    """Steps before the inputs, as objects of `s2s.pre` or as texts: `[s2s.pre.Grey()]`, `["image=grey"]`."""
    post: tuple[str, ...] = option(
        default=(),
        converter=_texts_of,
        stages=("read",),
        help="A step behind an output, in the same function: classes, means over runs, thresholds (top-k:count=3)",
        group="Inputs",
        metavar="[OUTPUT=]STEP[:PARAMETER=VALUE,…]",
        is_repeated=True,
    )
    """Steps behind the outputs, as objects of `s2s.post` or as texts: `[s2s.post.Argmax()]`, `["scores=argmax"]`."""
    push: "Pushed | None" = option(
        default=None,
        converter=values.push_of,
        stages=("simplify", "graph", "memory"),
        help="An input whose rows along an axis are handed over one after the other, any number at a time: the whole "
        "of it never exists.",
        group="Inputs",
        metavar="INPUT:AXIS",
        refused=values.REFUSED_WITH_PUSH,
    )
    """The input whose rows are pushed, with their axis: `("image", 1)`."""
