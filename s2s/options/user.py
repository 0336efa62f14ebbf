"""The options that users give, each declared once: `s2s.options.declaration` says what follows from a declaration."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from s2s.decisions.names import LINE_BUFFERS, WHOLE, Prefer
from s2s.options import declaration as refused
from s2s.options import values
from s2s.options.declaration import option, options_class
from s2s.options.inputs import InputOptions
from s2s.options.passes import DebugOptions, debug_of
from s2s.options.values import (
    DECIDING,
    MAX_THREADS,
    Cache,
    Executor,
)

if TYPE_CHECKING:
    from s2s.decisions.records import Record
    from s2s.external.modes import Modes
    from s2s.targets.target import Target
    from s2s.types.devices import Devices
    from s2s.types.pools import Pools
    from s2s.types.steps import StepBound

_LITTLE = "no network takes that little; give 0 or more"


def _target(target: "str | Target") -> "Target":
    """Return the target of a name or of a file `….toml`; a `Target` as it is."""
    from s2s.targets import get_target

    return get_target(target)


@options_class
class UserOptions(InputOptions):
    """The options that users give: each is an argument of `s2s.compile` and a flag of `s2s compile`."""

    target: "Target" = option(
        default="host",
        converter=_target,
        stages=(*DECIDING, "tree"),
        help="The processor that runs the C (`s2s targets` lists them); by default this machine, or that of the board.",
        metavar="TARGET|FILE.toml",
    )
    executor: Executor = option(
        default="aot",
        stages=("read", "graph", "compute", "loop", "memory", "c", "tree"),
        help="What runs the kernels: `aot`, a function that calls them; `graph`, an executor that walks tables.",
        is_expert=True,
    )
    name: str | None = option(
        default=None,
        stages=("read", "graph", "c"),
        help="Name of the network in C; by default that of the model's file.",
        metavar="NAME",
    )
    weights: values.WeightForm = option(
        default="auto",
        stages=("simplify", "graph", "tensor", "loop", "c", "tree"),
        help="Weights as C arrays, as one file (`incbin`), or as a `pack` that a firmware binds; `auto` by size.",
        refused=refused.REFUSED_WITH_PACK,
        is_expert=True,
    )
    untrusted: bool = option(
        default=False,
        stages=("read",),
        help="Read the model in a child process first, within a minute and 2 GB of memory.",
        group="Model",
        is_expert=True,
        is_of_files=True,
    )
    trust_model: bool = option(
        default=False,
        stages=("read",),
        help="Read a file of PyTorch with pickles that may run code on this machine.",
        group="Model",
        is_of_files=True,
    )
    cache: Cache = option(
        default="float32",
        stages=("read", "settle"),
        help="The type of the numbers in the caches of a decoder; int8 has a scale for each row. In a ring (GGUF "
        "files) new positions overwrite the oldest.",
        group="Numbers",
    )
    schedule: values.Schedule = option(
        default="default",
        stages=("settle", "simplify", "graph", "compute", "tensor", "loop", "memory", "tree"),
        help="Tuned loops, or one plain loop nest for each operator.",
        group="Choices",
        is_expert=True,
    )
    tflite_rounding: values.TfliteRounding = option(
        default="micro",
        stages=("read",),
        help="Fully connected layers and LSTMs of integers in TFLite models: as TFLite-Micro rounds, or as TFLite.",
        group="Numbers",
        is_expert=True,
    )
    requantise: values.Requantise = option(
        default="float",
        stages=("settle", "tree"),
        help="Scale the sums of quantised ONNX models in floats, as ONNX says, or in fixed point.",
        group="Numbers",
        flags=("--requantise", "--requantize"),
    )
    """Sums of quantised ONNX models become integers of 8 bits by a float factor, as the format says, or in `fixed`
    point, for devices without floats; some results then differ by one step of their quantisation."""
    activations: values.Activations = option(
        default="model",
        stages=("settle",),
        help="Activations of products with weights in blocks: quantised by these to 8 bits where the model says so "
        "(MatMulNBits with accuracy_level 4), nowhere (`float`), or everywhere (`int8-blocks`).",
        group="Numbers",
        is_expert=True,
    )
    io: values.Io | None = option(
        default=None,
        stages=("compute", "memory"),
        help="Where inputs and outputs are: in memory of the caller, as if a camera or DMA owns them, or with room for "
        "them in the arena; the default is that of the target.",
        group="Memory",
        refused=(
            (
                lambda options: options.io == "arena" and options.executor == "graph",
                "the tables of executor graph take buffers of the caller; use executor aot",
            ),
        ),
    )
    profile: values.Profile = option(
        default="default",
        stages=("graph", "compute", "c", "tree"),
        help="The coding standard of the C: none in particular, or MISRA C:2012, with the rules it deviates from "
        "written down.",
        refused=((values.walks_tables, "the graph executor is written for any network; use --executor aot"),),
    )
    interface: values.CInterface = option(
        default="plain",
        stages=("tree",),
        help="How C calls the network: by plain functions, or also under TVM's names, `tvmgen_NAME_run` and with "
        "executor graph `TVMGraphExecutor_Create` on its kernels.",
        is_expert=True,
    )
    flash_budget: int | None = option(
        default=None,
        converter=values.flash_of,
        help="Refuse a network whose code and constants, as the compiler of the target makes them, take more (256KiB).",
        group="Memory",
        metavar="BYTES",
        refused=((lambda options: options.flash_budget < 0, _LITTLE),),
    )
    stack_budget: int | None = option(
        default=None,
        converter=values.stack_of,
        help="Refuse a network whose run function takes more stack, measured likewise.",
        group="Memory",
        metavar="BYTES",
        refused=((lambda options: options.stack_budget < 0, _LITTLE),),
    )
    ram_budget: int | Literal["min"] | None = option(
        default=None,
        converter=values.ram_of,
        stages=("simplify", "graph", "compute", "tensor", "memory"),
        help="RAM for arena, inputs and outputs: the cheapest plan within these bytes is taken, which may have a unit "
        "(64KiB); `min`: the smallest plan.",
        group="Memory",
        metavar="BYTES|min",
        refused=((lambda options: options.ram_budget != "min" and options.ram_budget < 0, f"{_LITTLE}, or min"),),
    )
    prefer: Prefer | None = option(
        default=None,
        stages=(*DECIDING, "tree"),
        help="What to make small: `time`, `size` (flash) or `ram`; by default time, if it takes little more memory.",
        group="Choices",
    )
    exact: bool = option(
        default=False,
        stages=("simplify", "graph", "compute"),
        help="Sum floats as the model's operators do, and take no algorithm that rounds otherwise.",
        group="Numbers",
    )
    threads: int = option(
        default=1,
        stages=("tensor", "loop", "tree"),
        help="The most threads that share a kernel; the run function takes a pool of them.",
        group="Processors",
        metavar="N",
        refused=(
            (lambda options: not 1 <= options.threads <= MAX_THREADS, f"give a number from 1 to {MAX_THREADS}"),
            (values.walks_tables, "the tables of executor graph call kernels one by one; use executor aot"),
            (
                lambda options: options.profile == "misra",
                "the pool of threads is not written to MISRA C; leave --profile out",
            ),
        ),
    )
    threading: values.Threading = option(
        default="pthreads",
        stages=("tree",),
        help="The library of threads that the build files ask for.",
        group="Processors",
        is_expert=True,
        refused=((lambda options: options.threads == 1, "one thread needs none; give --threads 2 or more as well"),),
    )
    steps: "StepBound | None" = option(
        default=None,
        converter=values.steps_of,
        stages=("memory",),
        help="Cut a run into steps of at most so many cycles of the target (20000cycles) or multiply-adds (50000macs), "
        "between which a program does something else.",
        group="Processors",
        metavar="N(cycles|macs)",
        refused=refused.REFUSED_WITH_STEPS,
    )
    """The most that a step of a run may take: `"20000cycles"`, or `(50000, "macs")`."""
    decisions: Mapping[str, Mapping[str, str]] = option(
        default=None,
        converter=values.decisions_of,
        stages=DECIDING,
        is_recorded=False,
        help="Choices to take in place of the compiler's own, whole or in part.",
        group="Choices",
        is_expert=True,
        metavar="FILE",
        refused=(
            (
                lambda options: bool(options.devices) and LINE_BUFFERS in options.decisions,
                f"{LINE_BUFFERS}: a network in line buffers runs on one device; leave --devices out",
            ),
            (
                lambda options: (
                    options.executor == "graph"
                    and not {WHOLE}.issuperset(options.decisions.get(LINE_BUFFERS, {}).values())
                ),
                f"{LINE_BUFFERS}: the tables of executor graph call nothing but kernels; use executor aot",
            ),
        ),
    )
    records: "tuple[Record, ...] | None" = option(
        default=(),
        converter=values.records_of,
        stages=DECIDING,
        is_recorded=False,
        help="Records of measurements, as a tuner wrote them, consulted before those that s2s ships with.",
        group="Choices",
        is_expert=True,
        metavar="FILE",
        none=("--no-records", "Use no records, not even those that s2s ships with: all costs are estimated."),
    )
    external: "Modes" = option(
        default=None,
        converter=values.external_of,
        stages=("graph",),
        help="Let an external code generator compute all that it can (always), what it is faster at (auto), or nothing",
        group="Processors",
        is_expert=True,
        metavar="NAME=always|auto|never",
        is_repeated=True,
    )
    pools: "Pools" = option(
        default=None,
        converter=values.pools_of,
        stages=("graph", "memory", "c", "tree"),
        help="A memory for buffers and constants (tcm=64KiB), for one of these (rom=1MiB:constants), or for constants "
        "that are copied before use (flash=4MiB:streamed); the fastest first",
        group="Memory",
        flags=("--pool",),
        metavar="NAME=SIZE",
        is_repeated=True,
        refused=refused.REFUSED_WITH_POOLS,
    )
    place: Mapping[str, str] = option(
        default=None,
        converter=values.place_of,
        stages=("memory",),
        help="Put the function of a kernel into a pool of code (conv_1x1=itcm); the others are placed by their work",
        group="Memory",
        is_expert=True,
        metavar="KERNEL=POOL",
        is_repeated=True,
        refused=refused.REFUSED_WITH_PLACE,
    )
    devices: "Devices" = option(
        default=None,
        converter=values.devices_of,
        stages=("read", *(each for each in DECIDING if each != "simplify"), "tree"),
        help="Devices beside the first one, tables [devices.NAME] of a TOML file: target, memory, layers, operators.",
        group="Processors",
        is_expert=True,
        metavar="FILE",
        refused=(
            (
                lambda options: options.poison,
                "--poison fills dead bytes of one arena; leave it out, and verify without --devices",
            ),
            (
                values.wants_arena_or_file,
                "inputs and outputs are the caller's, constants C arrays; leave --io and --weights out",
            ),
            (
                lambda options: {options.ram_budget, options.flash_budget, options.stack_budget} != {None},
                "a budget is about one device; limit the memory of each by its key memory",
            ),
        ),
    )
    poison: bool = option(
        default=False,
        stages=("graph", "memory"),
        help="Make a debug build that fills dead bytes of the arena before each kernel.",
        group="Debug",
        is_expert=True,
        refused=((values.walks_tables, "the tables of executor graph call nothing but kernels; use executor aot"),),
    )
    debug: DebugOptions = option(default=None, converter=debug_of)
    """What is printed about the compilation while it runs."""
