"""Values of options: objects that users of the library give, and texts of the command line and of the project file.

    shapes_of({"x": (1, 3)})   {"x": (1, 3)}          shapes_of(["x=1,3"])   the same
    ram_of(4096)               4096                    ram_of("4KiB")         the same

A value that was converted before is returned as it is. What converts it is loaded when there is something to convert.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from s2s.errors import InputError

if TYPE_CHECKING:
    from s2s.decisions.file import DecisionSource
    from s2s.decisions.records import Record, RecordSource
    from s2s.external.modes import Modes
    from s2s.types.devices import Devices, DeviceSource
    from s2s.types.numbers import Numbers
    from s2s.types.pools import Pools
    from s2s.types.sizes import DimSize, InputShapes
    from s2s.types.sliding import Pushed, Sliding
    from s2s.types.steps import StepBound, StepUnit

Executor = Literal["aot", "graph"]
Requantise = Literal["float", "fixed"]
Schedule = Literal["default", "reference"]
Activations = Literal["model", "float", "int8-blocks"]
CacheType = Literal["float32", "float16", "int8"]
Cache = Literal["float32", "float16", "int8", "float32-ring", "float16-ring", "int8-ring"]
TfliteRounding = Literal["micro", "reference"]
WeightForm = Literal["auto", "arrays", "incbin", "pack"]
Io = Literal["caller", "arena"]
Ports = Literal["model", "int8"]
Profile = Literal["default", "misra"]
CInterface = Literal["plain", "tvm"]
Threading = Literal["pthreads", "openmp"]
PROFILES: tuple[Profile, ...] = ("default", "misra")

DECIDING = ("simplify", "graph", "compute", "tensor", "loop", "memory", "c")
"""The stages whose passes make decisions."""
MAX_THREADS = 16
"""The threads that a pool of the runtime has room for, unless a project wants more."""

Texts = Sequence[str]
"""What the command line states, one text for each use of a flag."""
V = TypeVar("V")


class Bindings(dict[str, "Numbers"]):
    """Constants of inputs whose form is checked."""


def names_of(given: Iterable[str]) -> tuple[str, ...]:
    """Return names as a tuple."""
    return tuple(given)


def ram_of(given: int | str | None) -> int | Literal["min"] | None:
    """Return a number of bytes, or `min`."""
    return "min" if given == "min" else _bytes("--ram-budget", given, " or min")


def flash_of(given: int | str | None) -> int | None:
    """Return a number of bytes."""
    return _bytes("--flash-budget", given)


def stack_of(given: int | str | None) -> int | None:
    """Return a number of bytes."""
    return _bytes("--stack-budget", given)


def _bytes(flag: str, given: int | str | None, others: str = "") -> int | None:
    if not isinstance(given, str):
        return given
    from s2s.types.pools import size_of

    size = size_of(given.removeprefix("-"))
    if size is None:
        raise InputError(f"{flag} {given}: is no number of bytes; give one, as 16000 or 16KiB{others}")
    return -size if given.startswith("-") else size


def shapes_of(given: "Mapping[str, Sequence[int | str]] | Texts | None") -> "InputShapes":
    """Return the sizes of inputs by name; a text is `x=1,3,N`."""
    if (texts := _texts(given)) is not None:
        return dict(map(_shape, texts))
    example = "give the sizes of each input by its name: {'x': (1, 3)}"
    shapes: Mapping[str, Sequence[int | str]] = _mapping("shapes", given, example)
    for name, sizes in shapes.items():
        if isinstance(sizes, str) or not isinstance(sizes, Sequence) or not all(map(_is_size, sizes)):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"shapes: {name}: {sizes!r} given; {example}")
    return {
        name: tuple(size if isinstance(size, str) else int(size) for size in sizes) for name, sizes in shapes.items()
    }


def _is_formula(text: str) -> bool:
    """Whether a text is a number, a name, or a formula of names."""
    if text.isdecimal() or text.isidentifier():
        return True
    from s2s.types.size_formulas import parse_formula

    return parse_formula(text) is not None


def _shape(text: str) -> tuple[str, tuple[int | str, ...]]:
    name, equals, dims = text.rpartition("=")
    sizes = dims.split(",") if dims else []
    if not (name and equals) or not all(map(_is_formula, sizes)):
        raise InputError(f"--shape {text}: is not of the form NAME=D,D,…; write, for example, --shape x=1,3,224,224")
    return name, tuple(int(size) if size.isdecimal() else size for size in sizes)


def bindings_of(given: "Mapping[str, object] | Texts | None") -> "Mapping[str, Numbers]":
    """Return the constants that inputs become, by name; a text is `sr=16000`, `k=1,2`, or `t=@t.npy` for a file."""
    if isinstance(given, Bindings):
        return given
    if (texts := _texts(given)) is not None:
        return Bindings(_once("--bind", "input", texts, map(_binding, texts)))
    values = _mapping("bind", given, "give the number of each input by its name: {'sr': 16000}")
    if not values:
        return Bindings()
    from s2s.types.numbers import as_numbers

    return Bindings({name: as_numbers(value, f"bind: {name}") for name, value in values.items()})


def _binding(text: str) -> "tuple[str, Numbers]":
    name, _, numbers = text.partition("=")
    if not (name and numbers):
        raise InputError(f"--bind {text}: is not of the form NAME=N,N,…; write, for example, --bind sr=16000")
    return name, _numbers(text, numbers)


def _numbers(option: str, text: str) -> "Numbers":
    if text.startswith("@"):
        return _numbers_of_file(option, text[1:])
    words = {"true": True, "false": False}
    try:
        numbers = tuple(words[each] if each in words else _number(each) for each in text.split(","))
    except ValueError as error:
        raise InputError(
            f"--bind {option}: {text} is no list of numbers; write, for example, --bind sr=16000"
        ) from error
    return numbers if "," in text else numbers[0]


def _numbers_of_file(option: str, file: str) -> "Numbers":
    import numpy as np

    from s2s.types.numbers import as_numbers

    try:
        return as_numbers(np.load(file, allow_pickle=False), f"--bind {option}")
    except (OSError, ValueError) as error:
        raise InputError(f"--bind {option}: {file} is no array of numbers ({error}); write it by numpy.save") from error


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)


def dims_of(given: "Mapping[str, int | str | tuple[int, ...] | DimSize] | Texts | None") -> "Mapping[str, DimSize]":
    """Return the sizes of dimensions by name; a text is `batch=1`, or has bounds: `sequence=1..128`."""
    if (texts := _texts(given)) is not None:
        return _once("--dim", "dimension", texts, map(_named_size, texts))
    dims = _mapping("dims", given, "give the size of each dimension by its name: {'batch': 1}")
    return {name: _dim(name, size) for name, size in dims.items()}


def _named_size(text: str) -> "tuple[str, DimSize]":
    from s2s.types.size_text import parse_size

    name, _, size_text = text.rpartition("=")
    size = parse_size(size_text)
    if not name or size is None:
        raise InputError(
            f"--dim {text}: is not of the form NAME=D, NAME=D..D, NAME=D..D:+D or NAME=D..D:D,D; write, for example, "
            "--dim batch=1"
        )
    return name, size


def _dim(name: str, given: object) -> "DimSize":
    """Return a size, or the bounds of one that varies: with the sizes that have kernels of their own, or as `--dim`
    writes them."""
    from s2s.types.hints import isa
    from s2s.types.size_text import parse_size
    from s2s.types.sizes import SizeRange

    size = parse_size(given) if isinstance(given, str) else given
    if isinstance(size, SizeRange) or (isinstance(size, int) and not isinstance(size, bool)):
        return size
    if isa(size, tuple[int, ...]) and len(size) >= 2:
        return SizeRange(size[0], size[1], size[2:])
    if hasattr(size, "__index__"):
        return int(cast(int, size))
    raise InputError(
        f"dims: {name}: {given!r} given; give the size of each dimension by its name, or its bounds: "
        "{'batch': 1, 'sequence': (1, 128), 'width': '32..640:+32'}"
    )


def states_of(given: "Mapping[str, str] | Texts | None") -> "Mapping[str, str]":
    """Return the outputs of a run that are inputs of the next one, by the name of the input; a text is `h=hn`."""
    if (texts := _texts(given)) is not None:
        return _once("--state", "input", texts, map(_state, texts))
    return _mapping("states", given, "give the output that each input takes: {'hidden': 'new_hidden'}", str)


def _state(text: str) -> tuple[str, str]:
    name, _, output = text.partition("=")
    if not name or not output:
        raise InputError(f"--state {text}: is not of the form IN=OUT; write, for example, --state hidden=new_hidden")
    return name, output


def streams_of(given: "Mapping[str, int | tuple[int, int] | Sliding] | Texts | None") -> "Mapping[str, Sliding]":
    """Return the windows by the name of the input, each with its axis, or axis and frames; a text is `x:2` or
    `x:2=8`."""
    from s2s.types.sliding import Sliding

    if (texts := _texts(given)) is not None:
        return _once("--stream", "input", texts, map(_stream, texts))
    form, example = (
        int | tuple[int] | tuple[int, int | None],
        "give the axis of each input, or axis and frames: {'x': 2}",
    )
    windows = _mapping("streams", given, example, form)
    return {name: Sliding(each) if isinstance(each, int) else Sliding(*each) for name, each in windows.items()}


def _stream(text: str) -> "tuple[str, Sliding]":
    from s2s.types.sliding import Sliding

    name, _, place = text.rpartition(":")
    axis, equals, frames = place.partition("=")
    if not (name and axis.isdecimal() and (frames.isdecimal() or not equals)):
        raise InputError(
            f"--stream {text}: is not of the form INPUT:AXIS or INPUT:AXIS=FRAMES; write, for example, --stream x:2"
        )
    return name, Sliding(int(axis), int(frames) if equals else None)


def push_of(given: "str | tuple[str, int] | Pushed | None") -> "Pushed | None":
    """Return the input whose rows are pushed, and their axis; a text is `x:1`."""
    if given is None:
        return None
    from s2s.types.forms import formed
    from s2s.types.sliding import Pushed

    if not isinstance(given, str):
        return Pushed(*formed("push", given, tuple[str, int], "give the input and its axis: ('x', 1)"))
    name, _, axis = given.rpartition(":")
    if not (name and axis.isdecimal()):
        raise InputError(f"--push {given}: is not of the form INPUT:AXIS; write, for example, --push x:1")
    return Pushed(name, int(axis))


def steps_of(given: "str | tuple[int, StepUnit] | StepBound | None") -> "StepBound | None":
    """Return the most that a step of a run may take; a text is `20000cycles` or `50000macs`."""
    if given is None:
        return None
    from s2s.types.forms import formed
    from s2s.types.steps import StepBound

    example = "give the most of a step, with its unit: (20000, 'cycles') or '50000macs'"
    text = given if isinstance(given, str) else "{}{}".format(*formed("steps", given, tuple[int, str], example))
    return StepBound.parse(text)


def decisions_of(given: "DecisionSource | Mapping[str, Mapping[str, str]] | None") -> Mapping[str, Mapping[str, str]]:
    """Return choices by kind and subject: of a file, or of what such a file holds."""
    if given is None:
        return {}
    if isinstance(given, Mapping) and all(isinstance(each, Mapping) for each in given.values()):
        return given
    from s2s.decisions.file import read_decisions

    return read_decisions(given)


def records_of(given: "RecordSource | None") -> "tuple[Record, ...] | None":
    """Return records of measurements, of a file or of its lines; None: not even the records that s2s ships with."""
    if not given:
        return None if given is None else ()
    from s2s.decisions.records import read_records

    return read_records(given)


def external_of(given: "Mapping[str, str] | Iterable[str] | Modes | str | None") -> "Modes":
    """Return the external code generators with their modes; a text is `blas=always`."""
    if not given:
        return ()
    from s2s.external.modes import modes_of

    return modes_of(given)


def pools_of(given: "Mapping[str, int] | Texts | Pools | None") -> "Pools":
    """Return memory pools; a text is `tcm=64KiB`."""
    if not given:
        return ()
    from s2s.types.pools import pools_of

    return pools_of(given)


def devices_of(given: "DeviceSource | Devices | None") -> "Devices":
    """Return devices: of a file with tables `[devices.NAME]`, or of such tables."""
    if given is None or given == ():
        return ()
    from s2s.types import devices

    if isinstance(given, tuple) and all(isinstance(device, devices.Device) for device in given):  # pyright: ignore[reportUnnecessaryIsInstance]
        return given
    return devices.devices_of(cast("DeviceSource", given))


def place_of(places: "Mapping[str, str] | Texts | None") -> Mapping[str, str]:
    """Return pools of code by the kernels that are placed there; a text is `conv_1x1=itcm`."""
    if (texts := _texts(places)) is not None:
        return _once("--place", "kernel", texts, map(_place, texts))
    return _mapping("place", places, "give the pool of each kernel: {'conv_1x1': 'itcm'}", str)


def _place(text: str) -> tuple[str, str]:
    kernel, _, pool = text.partition("=")
    if not kernel or not pool:
        raise InputError(f"--place {text}: is not of the form KERNEL=POOL; write, for example, --place conv_1x1=itcm")
    return kernel, pool


def _mapping(option: str, given: object, example: str, form: Any = object) -> Mapping[str, Any]:
    if given is None:
        return {}
    from s2s.types.forms import mapping

    return mapping(option, given, form, example)


def _texts(given: object) -> Texts | None:
    """Return the texts of a command line that an option is given as; None if it is given as objects."""
    is_texts = isinstance(given, list | tuple) and all(isinstance(each, str) for each in cast(Sequence[object], given))
    return cast(Texts, given) if is_texts else None


def _is_size(size: object) -> bool:
    return isinstance(size, str) or hasattr(size, "__index__")


def _once(flag: str, thing: str, texts: Texts, values: Iterable[tuple[str, V]]) -> dict[str, V]:
    """Return the values by name; raise `InputError` for a text whose name another one has, too."""
    found: dict[str, V] = {}
    for text, (name, value) in zip(texts, values, strict=True):
        if name in found:
            raise InputError(f"{flag} {text}: {thing} {name!r} is given twice; name it once")
        found[name] = value
    return found


def walks_tables(options: Any) -> bool:
    """Return whether tables are walked by the executor of graphs."""
    return options.executor == "graph"


def wants_arena_or_file(options: Any) -> bool:
    """Return whether ports are in the arena, or weights in a file."""
    return options.io == "arena" or options.weights == "incbin"


def divides_work(options: Any) -> bool:
    """Return whether a run has several threads, devices or arenas."""
    return options.threads > 1 or bool(options.devices) or bool(options.pools)


def ram_goal(options: Any) -> int | Literal["min"] | None:
    """Return the bytes of RAM that a plan may take, `min` for the smallest plan, or None where nobody asks."""
    return "min" if options.ram_budget is None and options.prefer == "ram" else options.ram_budget


REFUSED_WITH_PUSH: tuple[tuple[Callable[[Any], bool], str], ...] = (
    (walks_tables, "the tables of executor graph have no loops; use executor aot"),
    (divides_work, "the functions of rows take one thread, device and arena; leave these options out"),
    (lambda options: options.profile == "misra", "rows are not written to MISRA C; leave --profile out"),
    (lambda options: options.poison, "what rows keep is poisoned between them; leave --poison out"),
    (
        lambda options: ram_goal(options) is not None,
        "the plan of rows is that with the least memory; leave --ram-budget and --prefer ram out",
    ),
    (lambda options: options.io == "arena", "the input never exists; leave --io out"),
)
"""When rows that are handed over are refused, and why."""
