"""The options of one compilation."""

from collections.abc import Callable, Mapping
from dataclasses import Field, field
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from s2s.support.frozen import frozen

if TYPE_CHECKING:
    from s2s.decisions.records import Record
    from s2s.external.modes import Modes
    from s2s.targets.target import Target
    from s2s.types.devices import Devices
    from s2s.types.numbers import Numbers
    from s2s.types.pools import Pools
    from s2s.types.sizes import DimSize, InputShapes
    from s2s.types.sliding import Sliding

Executor = Literal["aot", "graph"]
Requantise = Literal["float", "fixed"]
Schedule = Literal["default", "reference"]
Activations = Literal["model", "float", "int8-blocks"]
CacheType = Literal["float32", "float16", "int8"]
Cache = Literal["float32", "float16", "int8", "float32-ring", "float16-ring", "int8-ring"]
TfliteRounding = Literal["micro", "reference"]
WeightForm = Literal["auto", "arrays", "incbin"]
Io = Literal["caller", "arena"]
Profile = Literal["default", "misra"]
Threading = Literal["pthreads", "openmp"]
STAGES = "stages"
"""Under this key the metadata of a field holds the stages that read an option."""
DECIDING = ("simplify", "graph", "compute", "tensor", "loop", "memory", "c")
"""The stages whose passes make decisions."""
PROFILES: tuple[Profile, ...] = ("default", "misra")


class Specialisation(TypedDict):
    """The options that make another model of an ONNX model before it is read."""

    bind: "Mapping[str, Numbers]"
    dims: "Mapping[str, DimSize]"


class Budgets(TypedDict):
    """The options that say what the network may take at most."""

    ram_budget: int | Literal["min"] | None
    flash_budget: int | None
    stack_budget: int | None


class Reading(TypedDict):
    """The options that say how a model is read."""

    states: Mapping[str, str]
    streams: "Mapping[str, Sliding]"
    untrusted: bool
    trust_model: bool
    cache: Cache


def reading(
    states: Mapping[str, str] | None,
    streams: "Mapping[str, Sliding | int | tuple[int, int]] | None",
    *,
    untrusted: bool,
    trust_model: bool,
    cache: Cache = "float32",
) -> Reading:
    """Return the options with these values; a window slides along an axis, or along an axis by some frames."""
    from s2s.types.sliding import Sliding

    windows = {
        name: Sliding(given) if isinstance(given, int) else Sliding(given[0], given[1])
        for name, given in (streams or {}).items()
    }
    return {
        "states": dict(states or {}),
        "streams": windows,
        "untrusted": untrusted,
        "trust_model": trust_model,
        "cache": cache,
    }


def budgets(ram: int | Literal["min"] | None, flash: int | None, stack: int | None) -> Budgets:
    """Return the options for these budgets."""
    return {"ram_budget": ram, "flash_budget": flash, "stack_budget": stack}


@frozen
class DebugOptions:
    """What to print about a compilation while it runs; by default nothing."""

    print_ir_after: tuple[str, ...] = ()
    """Names of passes after which the module is printed; `all` stands for every pass."""
    verify_each: bool = False
    """Verify the module after every pass, not only at the end."""
    time_passes: bool = False
    """Print how long each pass took."""
    stop_after: str | None = None
    """Leave out the passes that come after the first one of this name."""


@frozen
class PassOptions:
    """The passes to run, as `s2s.tvm.transform.PassContext` sets them; by default those up to level 3."""

    level: int = 3
    """Passes of higher optimisation levels are left out."""
    required: tuple[str, ...] = ()
    """Passes that run whatever their level."""
    disabled: tuple[str, ...] = ()
    """Passes that do not run."""
    fusion_depth: int = 256
    """The most operators in one kernel."""
    instruments: tuple[object, ...] = field(default=(), compare=False)
    """What looks on while passes run, each a `s2s.passes.instruments.PassInstrument`."""


def read_in(*stages: str, default: Any = None, factory: Callable[[], object] | None = None) -> Any:
    """Return a field whose values these stages of a compilation read."""
    facts = {STAGES: stages}
    return field(default_factory=factory, metadata=facts) if factory else field(default=default, metadata=facts)


def stages_of(option: "Field[Any]") -> tuple[str, ...]:
    """Return the stages that read an option."""
    return option.metadata[STAGES]


@frozen
class CompileOptions:
    """Options of `s2s.compile`; every one has a flag of `s2s compile`."""

    target: "str | Target" = read_in(*DECIDING, "tree", default="host")
    """The name of a target, the path of a target file (`….toml`), or a target."""
    executor: Executor = read_in("read", "graph", "compute", "loop", "memory", "c", "tree", default="aot")
    name: str | None = read_in("read", "graph", "c", default=None)
    """Name of the network in C; by default the model's file name."""
    weights: WeightForm = read_in("c", "tree", default="auto")
    """Weights as C arrays, as one binary file beside the C, or by size."""
    shapes: "InputShapes" = read_in("read", factory=dict[str, tuple[int | str, ...]])
    """Shapes of inputs that the model leaves open."""
    bind: "Mapping[str, Numbers]" = read_in("read", factory=dict[str, "Numbers"])
    """Inputs of an ONNX model that become constants, with their values: `{"sr": 16000}`."""
    dims: "Mapping[str, DimSize]" = read_in(
        "read", "simplify", "graph", "compute", "tensor", "c", factory=dict[str, "DimSize"]
    )
    """Sizes of dimensions that an ONNX model leaves open, by their names: `{"batch": 1}`. A size within bounds,
    `{"sequence": SizeRange(1, 128)}`, is given at run time."""
    states: Mapping[str, str] = read_in("read", "graph", factory=dict[str, str])
    """Inputs that are the outputs of the run before, by their names: `{"hidden": "new_hidden"}`."""
    streams: "Mapping[str, Sliding]" = read_in("read", factory=dict[str, "Sliding"])
    """Inputs that are sliding windows, by their names, each with the axis along which it moves, and by how many frames:
    a run takes the new frames and computes what they change."""
    untrusted: bool = read_in("read", default=False)
    """Read the model in a child process of limited time and memory first."""
    trust_model: bool = read_in("read", default=False)
    """Read a file of PyTorch with pickles that may run code."""
    cache: Cache = read_in("read", "settle", default="float32")
    """The type of the keys and values that the decoder of a GGUF file keeps; with `int8` a head's numbers at a position
    share a scale."""
    schedule: Schedule = read_in(
        "settle", "simplify", "graph", "compute", "tensor", "loop", "memory", "tree", default="default"
    )
    """`reference`: one plain loop nest for each operator, nothing fused, nothing tiled."""
    tflite_rounding: TfliteRounding = read_in("read", default="micro")
    """Fully connected layers and LSTMs of integers in TFLite models: `micro` rounds as TFLite-Micro,
    `reference` as TFLite."""
    requantise: Requantise = read_in("settle", "tree", default="float")
    """Sums of quantised ONNX models become integers of 8 bits by a float factor, as the format says, or in `fixed`
    point, for devices without floats; some results then differ by one step of their quantisation."""
    activations: Activations = read_in("settle", default="model")
    """Activations of products with weights in blocks: quantised by the same blocks to 8 bits where the `model` says so
    (MatMulNBits with accuracy_level 4), everywhere (`int8-blocks`), or nowhere (`float`)."""
    io: Io | None = read_in("compute", "memory", default=None)
    """Where inputs and outputs live: `arena` gives them a place in the arena, which the header states and the caller
    may use; `caller` leaves them to the caller, as firmware wants whose camera or DMA owns the input. By default as the
    target has it."""
    profile: Profile = read_in("graph", "compute", "c", "tree", default="default")
    """`misra`: C as MISRA C:2012 wants it, with the rules it deviates from written down in the tree."""
    flash_budget: int | None = read_in(default=None)
    """Bytes of code and constants that the network may take, measured with the compiler of the target."""
    stack_budget: int | None = read_in(default=None)
    """Bytes of stack that the run function may take, measured likewise."""
    ram_budget: int | Literal["min"] | None = read_in("simplify", "graph", "compute", "tensor", "memory", default=None)
    """Bytes of RAM for arena, inputs and outputs: the cheapest plan within them is taken; `min`: the smallest plan."""
    scratch: int | None = read_in("tensor", default=None)
    """Elements that a window copied to scratch may take; a budget of RAM sets it."""
    row_tiles: tuple[tuple[int, int, int], ...] = read_in("graph", default=())
    """Chains of operators computed in row tiles: first and last operator, and rows of a tile, as `graph-tile-rows`
    takes them; a budget of RAM sets them."""
    exact: bool = read_in("simplify", "graph", "compute", default=False)
    """Sums of floats in the order of the model's operators: no algorithm that rounds otherwise, however fast."""
    threads: int = read_in("tensor", "loop", "tree", default=1)
    """The most threads that share the work of a kernel; with more than one the run function takes a pool of them."""
    threading: Threading = read_in("tree", default="pthreads")
    """What the build files ask for to get threads."""
    decisions: Mapping[str, Mapping[str, str]] = read_in(*DECIDING, factory=dict[str, Mapping[str, str]])
    """Choices by kind and subject that the compiler obeys in place of its own; `s2s.decisions.file` reads them."""
    records: "tuple[Record, ...] | None" = read_in(*DECIDING, default=())
    """Records of measurements, consulted before those that the compiler ships with; None: neither of them."""
    external: "Modes" = read_in("graph", default=())
    """External code generators by name, each with how far it is used: always, auto or never."""
    explain: bool = read_in(*DECIDING, default=False)
    """Record with every decision all its alternatives, not only those that were compared."""
    pools: "Pools" = read_in("graph", "memory", "c", "tree", default=())
    """Memory pools for buffers and constants, the fastest first; none: one arena, and constants where the compiler puts
    them."""
    devices: "Devices" = read_in("read", "graph", "compute", "tensor", "loop", "memory", "c", "tree", default=())
    """Devices beside the first one, with what runs on them."""
    poison: bool = read_in("graph", "memory", default=False)
    """A debug build: before each kernel, bytes of the arena that hold no value are filled with a pattern."""
    passes: PassOptions = read_in("settle", *DECIDING, factory=PassOptions)
    debug: DebugOptions = read_in(factory=DebugOptions)
