"""Arguments and options that several commands share."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypedDict

import click

from s2s.errors import InputError
from s2s.types.devices import devices_of as devices_of
from s2s.types.pools import pools_of as pools_of

if TYPE_CHECKING:
    from s2s.decisions.records import Record
    from s2s.external.modes import Modes
    from s2s.options import DebugOptions, Specialisation
    from s2s.types.numbers import Numbers
    from s2s.types.sizes import DimSize
    from s2s.types.sliding import Sliding

PATH = click.Path(path_type=Path)
"""The type of options that name a file or folder, whether it exists or not."""

model = click.argument(
    "model",
    type=PATH,
    metavar="MODEL",
    help="The network: an .onnx, .tflite, .pt2 or .gguf file. FILE.py:FUNCTION runs your Python file, and compiles the "
    "PyTorch module that the function returns with its example inputs.",
)
shapes = click.option(
    "--shape",
    multiple=True,
    metavar="NAME=D,D,…",
    help="Shape of an input whose dimensions are open; a letter names one for --dim, as in x=N,28,28; may be repeated.",
)
bindings = click.option(
    "--bind",
    multiple=True,
    metavar="NAME=N,N,…|@FILE.npy",
    help="Make an input of an ONNX model a constant of these numbers; may be repeated.",
)
dims = click.option(
    "--dim",
    multiple=True,
    metavar="NAME=D",
    help="Size of a dimension that the model or --shape names, or its bounds (N=1..128) to give it at run time, in "
    "steps (N=32..640:+32), with kernels for some sizes (N=1..128:64,128); may be repeated.",
)
states = click.option(
    "--state",
    multiple=True,
    metavar="IN=OUT",
    help="Keep output OUT of a run as input IN of the next one; a star stands for equal parts of names of an ONNX "
    "model, past.*=present.*; may be repeated.",
)
streams = click.option(
    "--stream",
    multiple=True,
    metavar="INPUT:AXIS[=FRAMES]",
    help="An input that is a window which slides along an axis: a run takes only the new frames, by default as few as "
    "the network allows; may be repeated.",
)
untrusted = click.option(
    "--untrusted", is_flag=True, help="Read the model in a child process first, within a minute and 2 GB of memory."
)
trust_model = click.option(
    "--trust-model", is_flag=True, help="Read a file of PyTorch with pickles that may run code on this machine."
)
board = click.option(
    "--board", default="", show_default=False, metavar="BOARD", help="With --on serial:PORT: one of s2s boards."
)
load = click.option(
    "--load",
    default="",
    show_default=False,
    metavar="COMMAND",
    help="With --on serial:PORT: loads a program, from the folder of its project; by default PlatformIO does.",
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
name = click.option("--name", metavar="NAME", help="Name of the network in C; by default that of the model's file.")

target = click.option(
    "--target",
    metavar="TARGET|FILE.toml",
    help="The processor that the C is made for (`s2s targets` lists them); by default this machine, or that of the "
    "board.",
)
executor = click.option(
    "--executor",
    type=click.Choice(["aot", "graph"]),
    default="aot",
    help="What runs the kernels: `aot`, a function that calls them; `graph`, an executor that walks tables.",
)
weights = click.option(
    "--weights",
    type=click.Choice(["auto", "arrays", "incbin"]),
    default="auto",
    help="Weights as C arrays or as one file; `auto` by size.",
)
schedule = click.option(
    "--schedule",
    type=click.Choice(["default", "reference"]),
    default="default",
    help="Tuned loops, or one plain loop nest for each operator.",
)
io = click.option(
    "--io",
    type=click.Choice(["caller", "arena"]),
    help="Where inputs and outputs are: in memory of the caller, or with room for them in the arena; the default is "
    "that of the target.",
)
ram_budget = click.option(
    "--ram-budget",
    metavar="BYTES|min",
    help="RAM for arena, inputs and outputs; `min`: as little as is possible.",
)
pools = click.option(
    "--pool",
    multiple=True,
    metavar="NAME=SIZE",
    help="A memory for buffers and constants (tcm=64KiB), for one of these (rom=1MiB:constants), or for constants that "
    "are copied before use (flash=4MiB:streamed); may be repeated, the fastest first.",
)
devices = click.option(
    "--devices",
    metavar="FILE",
    help="Devices beside the first one, tables [devices.NAME] of a TOML file: target, memory, layers, operators.",
)
exact = click.option(
    "--exact",
    is_flag=True,
    help="Sum floats as the model's operators do, and take no algorithm that rounds otherwise.",
)
threads = click.option(
    "--threads",
    type=int,
    default=1,
    metavar="N",
    help="The most threads that share a kernel; the run function takes a pool of them.",
)
threading = click.option(
    "--threading",
    type=click.Choice(["pthreads", "openmp"]),
    default="pthreads",
    help="The library of threads that the build files ask for.",
)
decisions = click.option(
    "--decisions",
    type=PATH,
    metavar="FILE",
    help="Choices to take in place of the compiler's own, whole or in part.",
)
records = click.option(
    "--records",
    type=PATH,
    metavar="FILE",
    help="Records of measurements: the best choices of each task, as a tuner wrote them.",
)
no_records = click.option(
    "--no-records", is_flag=True, help="Use no records, not even those that s2s ships with: all costs are estimated."
)
external = click.option(
    "--external",
    multiple=True,
    metavar="NAME=always|auto|never",
    help="Let an external code generator compute all that it can (always), what it is faster at (auto), or nothing; "
    "may be repeated.",
)
poison = click.option(
    "--poison", is_flag=True, help="Make a debug build that fills dead bytes of the arena before each kernel."
)
tflite_rounding = click.option(
    "--tflite-rounding",
    type=click.Choice(["micro", "reference"]),
    default="micro",
    help="Fully connected layers and LSTMs of integers in TFLite models: as TFLite-Micro rounds, or as TFLite.",
)
requantise = click.option(
    "--requantise",
    "--requantize",
    type=click.Choice(["float", "fixed"]),
    default="float",
    help="Scale the sums of quantised ONNX models in floats, as ONNX says, or in fixed point.",
)
activations = click.option(
    "--activations",
    type=click.Choice(["model", "float", "int8-blocks"]),
    default="model",
    help="Activations of products with weights in blocks: as the model says, floats, or bytes with a scale a block.",
)
cache = click.option(
    "--cache",
    type=click.Choice(["float32", "float16", "int8", "float32-ring", "float16-ring", "int8-ring"]),
    default="float32",
    help="The type of the numbers in the caches of a decoder; int8 has a scale for each row. In a ring (GGUF files) "
    "new positions overwrite the oldest.",
)
profile = click.option(
    "--profile",
    type=click.Choice(["default", "misra"]),
    default="default",
    help="The coding standard of the C: none in particular, or MISRA C:2012.",
)
flash_budget = click.option(
    "--flash-budget",
    type=int,
    metavar="BYTES",
    help="Refuse a network whose code and constants take more flash.",
)
stack_budget = click.option(
    "--stack-budget", type=int, metavar="BYTES", help="Refuse a network whose run function takes more stack."
)

print_ir_after = click.option(
    "--print-ir-after", multiple=True, metavar="PASS", help="Print the module after this pass, or after `all`."
)
verify_each = click.option("--verify-each", is_flag=True, help="Verify after every pass.")
time_passes = click.option("--time-passes", is_flag=True, help="Time every pass.")
stop_after = click.option("--stop-after", metavar="PASS", help="Print the module after this pass and write no tree.")


def parse_states(options: Sequence[str]) -> dict[str, str]:
    """`["hidden=new_hidden"]` as `{"hidden": "new_hidden"}`."""
    states: dict[str, str] = {}
    for option in options:
        name, _, output = option.partition("=")
        if not name or not output:
            raise InputError(
                f"--state {option}: is not of the form IN=OUT; write, for example, --state hidden=new_hidden"
            )
        if name in states:
            raise InputError(f"--state {option}: input {name!r} is given twice; name it once")
        states[name] = output
    return states


def parse_streams(options: Sequence[str]) -> "dict[str, Sliding]":
    """Parse `["x:2", "y:1=8"]` to `{"x": Sliding(2), "y": Sliding(1, 8)}`."""
    from s2s.types.sliding import Sliding

    streams: dict[str, Sliding] = {}
    for option in options:
        name, _, place = option.rpartition(":")
        axis, equals, frames = place.partition("=")
        if not (name and axis.isdecimal() and (frames.isdecimal() or not equals)):
            raise InputError(
                f"--stream {option}: is not of the form INPUT:AXIS or INPUT:AXIS=FRAMES; write, for example, "
                "--stream x:2"
            )
        if name in streams:
            raise InputError(f"--stream {option}: input {name!r} is given twice; name it once")
        streams[name] = Sliding(int(axis), int(frames) if equals else None)
    return streams


def parse_carried(states: Sequence[str], streams: Sequence[str]) -> "tuple[dict[str, str], dict[str, Sliding]]":
    """Parse the options `--state` and `--stream`: what is carried from run to run."""
    return parse_states(states), parse_streams(streams)


def parse_shapes(options: Sequence[str]) -> dict[str, tuple[int | str, ...]]:
    """Parse `["x=1,3", "y=N,3"]` to `{"x": (1, 3), "y": ("N", 3)}`."""
    shapes: dict[str, tuple[int | str, ...]] = {}
    for option in options:
        name, equals, dims = option.rpartition("=")
        sizes = dims.split(",") if dims else []
        shape = tuple(int(size) if size.isdecimal() else size for size in sizes)
        if not (name and equals) or not all(size.isdecimal() or size.isidentifier() for size in sizes):
            raise InputError(
                f"--shape {option}: is not of the form NAME=D,D,…; write, for example, --shape x=1,3,224,224"
            )
        shapes[name] = shape
    return shapes


def parse_specialisation(bind: Sequence[str], dim: Sequence[str]) -> "Specialisation":
    """Parse the options `--bind` and `--dim`."""
    return {"bind": parse_bindings(bind), "dims": parse_dims(dim)}


def parse_dims(options: Sequence[str]) -> "dict[str, DimSize]":
    """Parse `["batch=1", "sequence=1..128"]` to `{"batch": 1, "sequence": SizeRange(1, 128)}`."""
    dims: dict[str, DimSize] = {}
    if not options:
        return dims
    from s2s.types.size_text import parse_size

    for option in options:
        name, _, text = option.rpartition("=")
        size = parse_size(text)
        if not name or size is None:
            raise InputError(
                f"--dim {option}: is not of the form NAME=D, NAME=D..D, NAME=D..D:+D or NAME=D..D:D,D; write, for "
                "example, --dim batch=1"
            )
        if name in dims:
            raise InputError(f"--dim {option}: dimension {name!r} is given twice; name it once")
        dims[name] = size
    return dims


def parse_bindings(options: Sequence[str]) -> "dict[str, Numbers]":
    """Parse `["sr=16000", "k=1,2"]` to `{"sr": 16000, "k": (1, 2)}`; of `t=@t.npy`, the file holds the numbers."""
    found: dict[str, Numbers] = {}
    for option in options:
        name, _, text = option.partition("=")
        if name in found:
            raise InputError(f"--bind {option}: input {name!r} is given twice; name it once")
        if not (name and text):
            raise InputError(f"--bind {option}: is not of the form NAME=N,N,…; write, for example, --bind sr=16000")
        found[name] = _numbers_of_file(option, text[1:]) if text.startswith("@") else _numbers_of_text(option, text)
    return found


def _numbers_of_file(option: str, file: str) -> "Numbers":
    import numpy as np

    from s2s.types.numbers import as_numbers

    try:
        return as_numbers(np.load(file, allow_pickle=False), f"--bind {option}")
    except (OSError, ValueError) as error:
        raise InputError(f"--bind {option}: {file} is no array of numbers ({error}); write it by numpy.save") from error


def _numbers_of_text(option: str, text: str) -> "Numbers":
    words = {"true": True, "false": False}
    try:
        numbers = tuple(words[each] if each in words else _number(each) for each in text.split(","))
    except ValueError as error:
        raise InputError(
            f"--bind {option}: {text} is no list of numbers; write, for example, --bind sr=16000"
        ) from error
    return numbers if "," in text else numbers[0]


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)


def parse_budget(option: str | None) -> int | Literal["min"] | None:
    """Parse `"min"`, or a number of bytes."""
    if option is None or option == "min":
        return option
    if not option.isdecimal():
        raise InputError(
            f"--ram-budget {option}: is neither a number of bytes nor min; give, for example, --ram-budget 16000"
        )
    return int(option)


def parse_records(file: Path | None, *, no_records: bool) -> "tuple[Record, ...] | None":
    """Read the records of `file`; return none without a file, None if records are not wanted."""
    from s2s.decisions.records import read_records

    if not no_records:
        return () if file is None else read_records(file)
    if file is not None:
        raise InputError(f"--no-records: --records {file} is given as well; leave one of them out")
    return None


class Choices(TypedDict):
    """Choices to take in place of the compiler's own."""

    decisions: Mapping[str, Mapping[str, str]]
    records: "tuple[Record, ...] | None"


def parse_choices(decisions: Path | None, records: Path | None, *, no_records: bool) -> Choices:
    """The choices of files of decisions and records."""
    from s2s.decisions.file import read_decisions

    return {
        "decisions": {} if decisions is None else read_decisions(decisions),
        "records": parse_records(records, no_records=no_records),
    }


def parse_external(options: Sequence[str]) -> "Modes":
    """The external code generators with how far each is used."""
    from s2s.external.modes import parse_modes

    return parse_modes(options) if options else ()


def debug_options(
    print_ir_after: Sequence[str], verify_each: bool, time_passes: bool, stop_after: str | None
) -> "DebugOptions":
    """Collect the debugging options of a command."""
    from s2s.options import DebugOptions

    return DebugOptions(tuple(print_ir_after), verify_each, time_passes, stop_after)
