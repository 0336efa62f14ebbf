"""The declaration of an option beside its type: its flag, its help, the stages that read it, its contradictions.

    scratch: int | None = option(default=None, stages=("tensor",), help="Elements of a copied window.", metavar="N")

From the declaration follow the flag `--scratch N` of all commands that compile, an argument of `s2s.compile`, a key of
`s2s.toml`, a row of the reference, and that a change of it concerns stage `tensor`:

    seen_by(options, "tensor").scratch     its value
    seen_by(options, "graph").scratch      a CompilerBug: a resumed compilation would miss that it has changed
"""

from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, field, fields
from functools import cache
from inspect import Parameter
from typing import Any, Literal, NamedTuple, NoReturn, TypeVar, dataclass_transform, get_args, overload

from s2s.errors import CompilerBug, InputError
from s2s.support.frozen import frozen
from s2s.types.devices import MAIN

Given = TypeVar("Given")
T = TypeVar("T")

Group = Literal["Common", "Inputs", "Memory", "Numbers", "Processors", "Choices", "Model", "Debug"]
GROUPS: tuple[Group, ...] = get_args(Group)
"""Groups of options, in the order in which the help shows them."""
RECORDING = "tree"
"""The stage that writes the record of a tree."""
DECLARED = "declared"
"""Under this key the metadata of a field holds its declaration."""

Refusal = tuple[Callable[[Any], bool], str]
"""A condition of all options that the option contradicts, and what is said of it: the fact, and the way out."""


class Declared(NamedTuple):
    """An option."""

    stages: tuple[str, ...] = ()
    """The stages of a compilation that read it."""
    help: str | None = None
    """What it does, in words of the command line; None: it has no flag."""
    group: Group = "Common"
    is_expert: bool = False
    """Whether only `--help-all` shows it."""
    flags: tuple[str, ...] = ()
    """Its flags, where they do not follow from its name."""
    metavar: str | None = None
    is_repeated: bool = False
    """Whether its flag may be given several times."""
    none: tuple[str, str] | None = None
    """A flag that asks for None, with its help."""
    is_of_files: bool = False
    """Whether it says how a file is read, which a module that is compiled is not."""
    is_recorded: bool = True
    """Whether the record of a tree states what was given; decisions stand there as made."""
    refused: tuple[Refusal, ...] = ()
    """What it contradicts where it has another value than its default."""
    converter: Callable[[Any], Any] | None = None
    """Turns what users give into the value: objects of Python, texts of the command line and the project file."""


@overload
def option(*, default: Any, converter: Callable[[Given], T], refused: Sequence[Refusal] = (), **declared: Any) -> T: ...
@overload
def option(*, default: Any, refused: Sequence[Refusal] = (), **declared: Any) -> Any: ...
def option(*, default: Any, refused: Sequence[Refusal] = (), **declared: Any) -> Any:
    """Declare an option: a field of a class of `options_class`, with the facts of `Declared`."""
    return field(default=default, metadata={DECLARED: Declared(refused=tuple(refused), **declared)})


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(option, field))
def options_class(cls: type[T]) -> type[T]:
    """Define a frozen dataclass of options, which converts what it is given."""
    made: Any = frozen(kw_only=True)(cls)
    declared = [(each.name, declaration(each).converter) for each in fields(made)]
    converters = [(name, converter) for name, converter in declared if converter is not None]

    def convert(self: object) -> None:
        for name, converter in converters:
            object.__setattr__(self, name, converter(getattr(self, name)))

    made.__post_init__ = convert
    return made


def declaration(option: "Field[Any]") -> Declared:
    """Return what is declared of a field; of a plain one, that nothing is."""
    return option.metadata.get(DECLARED, Declared())


def flags_of(option: "Field[Any]") -> tuple[str, ...]:
    """Return the flags of an option: `--ram-budget`, unless others are declared."""
    return declaration(option).flags or (f"--{option.name.replace('_', '-')}",)


@cache
def flagged(cls: type) -> "tuple[Field[Any], ...]":
    """Return the options of a class that have a flag, by groups."""
    every = [each for each in fields(cls) if declaration(each).help is not None]
    return tuple(sorted(every, key=lambda each: GROUPS.index(declaration(each).group)))


def check_refused(options: Any) -> None:
    """Raise `InputError` for the first option that contradicts others."""
    for each in fields(options):
        value = getattr(options, each.name)
        if not declaration(each).refused or value == default_of(each):
            continue
        shown = f" {value}" if isinstance(value, str | int) and not isinstance(value, bool) else ""
        for contradicts, message in declaration(each).refused:
            if contradicts(options):
                raise InputError(f"{flags_of(each)[0]}{shown}: {message}")


def default_of(option: "Field[Any]") -> object:
    """Return the value of an option that nobody gives."""
    converter = declaration(option).converter
    default = option.default if option.default is not MISSING else None
    return default if converter is None else converter(default)


def parameters_of(cls: type) -> list[Parameter]:
    """Return the parameters of a function that takes the options of a class by name, with the types that it takes."""
    return [
        Parameter(each.name, Parameter.KEYWORD_ONLY, default=each.default, annotation=given_type(each))
        for each in fields(cls)
    ]


def given_type(option: "Field[Any]") -> Any:
    """Return the type of a given value: the field's type, or the type that its converter takes."""
    converter = declaration(option).converter
    return option.type if converter is None else next(iter(converter.__annotations__.values()))


def seen_by(options: T, stage: str) -> T:
    """Return the options that name `stage`; reading another one raises `CompilerBug`."""
    view = object.__new__(_view(type(options), stage))
    for name in options_of(type(options), stage):
        object.__setattr__(view, name, getattr(options, name))
    return view


@cache
def options_of(cls: type, stage: str) -> tuple[str, ...]:
    """Return the names of the options that name `stage`; stage `tree` also records options."""
    return tuple(
        each.name
        for each in fields(cls)
        if stage in declaration(each).stages or (stage == RECORDING and is_recorded(each))
    )


def is_recorded(option: "Field[Any]") -> bool:
    """Return whether the record of a tree states an option; how far a file is trusted is no fact of another file."""
    about = declaration(option)
    return about.is_recorded and about.help is not None and about.group != "Model"


@cache
def _view(cls: type[Any], stage: str) -> type[Any]:
    hidden = {each.name for each in fields(cls)} - set(options_of(cls, stage))
    return type(f"OptionsOf_{stage}", (cls,), {name: _Hidden(stage, name) for name in sorted(hidden)})


class _Hidden:
    """An option that a stage does not read."""

    def __init__(self, stage: str, name: str) -> None:
        self.stage, self.name = stage, name

    def __get__(self, instance: object, owner: object) -> NoReturn:
        raise CompilerBug(f"stage {self.stage} reads option {self.name}, which does not name it")


def has_data_pools(options: Any) -> bool:
    """Return whether buffers and constants lie in memory pools."""
    from s2s.types.pools import data_pools

    return bool(data_pools(options.pools))


def has_code_pools(options: Any) -> bool:
    """Return whether functions lie in memory pools."""
    from s2s.types.pools import code_pools

    return bool(code_pools(options.pools))


def _wants_arena_or_file(options: Any) -> bool:
    from s2s.options.values import wants_arena_or_file

    return wants_arena_or_file(options)


def _packs(options: Any) -> bool:
    return options.weights == "pack"


REFUSED_WITH_POOLS: tuple[Refusal, ...] = (
    (
        lambda options: options.executor != "aot",
        "the run function of executor aot takes a pointer to each pool; leave --executor out",
    ),
    (
        lambda options: has_data_pools(options) and (options.poison or options.ram_budget is not None),
        "--poison and --ram-budget are about one arena; leave them out",
    ),
    (
        lambda options: has_data_pools(options) and _wants_arena_or_file(options),
        "inputs and outputs are the caller's, constants are C arrays; leave --io and --weights out",
    ),
    (
        lambda options: bool({pool.name for pool in options.pools} & {MAIN, *(each.name for each in options.devices)}),
        "has the name of a device, and each has an arena of that name; call the pool otherwise",
    ),
)
"""When memory pools are refused, and why."""
REFUSED_WITH_PLACE: tuple[Refusal, ...] = (
    (
        lambda options: not has_code_pools(options),
        "there is no pool of code; add one, as --pool itcm=64KiB:code",
    ),
)
"""When places of kernels are refused, and why."""
REFUSED_WITH_PACK: tuple[Refusal, ...] = (
    (
        lambda options: _packs(options) and options.executor != "aot",
        "the tables of executor graph hold addresses of weights; leave --executor out",
    ),
    (
        lambda options: _packs(options) and (bool(options.devices) or bool(options.pools)),
        "constants of pools and devices are placed by the linker; leave --pools and --devices out",
    ),
    (
        lambda options: _packs(options) and (options.push is not None or bool(options.external)),
        "rows and code of others read weights by their names; leave --push and --external out",
    ),
    (
        lambda options: _packs(options) and options.profile != "default",
        "packs are not read by MISRA C; leave --profile out",
    ),
    (
        lambda options: _packs(options) and options.interface != "plain",
        "TVM's interface has no place for them; leave --interface out",
    ),
)
"""When weights in a pack are refused, and why."""
REFUSED_WITH_STEPS: tuple[Refusal, ...] = (
    (lambda options: options.executor != "aot", "executor graph has a step for each node; leave --executor out"),
    (lambda options: options.threads > 1, "the threads of a kernel end together; leave --threads out"),
    (lambda options: bool(options.devices), "a step runs on one device; leave --devices out"),
    (lambda options: options.push is not None, "rows are handed over one by one already; leave --push out"),
    (lambda options: options.profile != "default", "steps are not written to MISRA C; leave --profile out"),
    (lambda options: options.poison, "dead bytes are filled between kernels; leave --poison out"),
    (lambda options: bool(options.external), "nobody has stated what code of others takes; leave --external out"),
)
"""When steps are refused, and why."""
