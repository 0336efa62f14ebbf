"""Draw options of the compiler, from their declarations.

    io: Literal["caller", "arena"] | None     `arena`, or `caller`
    exact: bool                               True
    pools: Pools                              what `DRAWN` says: no type tells which pools make sense

An option that contradicts those drawn before it is left out, as its declaration says. So each new option is drawn as
soon as it is declared, or has a reason in `NOT_DRAWN`.
"""

from collections.abc import Callable, Mapping
from dataclasses import Field, fields
from random import Random
from typing import Any, Literal, cast, get_args, get_origin

from s2s.decisions.names import Prefer
from s2s.errors import InputError
from s2s.options import CompileOptions, PassOptions
from s2s.options.declaration import check_refused, default_of

Values = Mapping[str, Any]
"""Options by name, as JSON holds them."""

PASSES = "passes"
SHARE = 0.15
"""How often an option has another value than its default, unless `SHARES` says otherwise."""
SHARES: Mapping[str, float] = {"executor": 0.33, "schedule": 0.25, "exact": 0.25, "ram_budget": 0.05}
ROOM = 1 << 26
"""Bytes that are enough for every model that is drawn."""
DEVICE_TARGETS = ("c", "cortex-m4", "cortex-m7", "rv32imc", "x86-64-v2")

NOT_DRAWN: Mapping[str, str] = {
    "target": "each variant has one",
    "name": "names symbols of C, and the merged models of a batch are one network",
    "shapes": "the models state the shapes of their inputs",
    "bind": "makes another network, of fewer inputs",
    "dims": "with `--sizes` an axis is opened",
    "ports": "changes what callers pass, and few models quantise floats; tests compare some",
    "states": "with `--streams` states are kept",
    "streams": "with `--streams` windows slide",
    "pre": "makes another network; `tests/frontends/features` draws steps",
    "post": "makes another network; `tests/frontends/features` draws steps",
    "push": "names an input and an axis; `tests/end_to_end/test_pushed_rows.py` draws networks",
    "untrusted": "says how a file is read; `benchmarks.mutants` damages files",
    "trust_model": "is for files of PyTorch",
    "cache": "is for decoders, whose results it rounds; `tests/frontends/caches` bounds the errors",
    "tflite_rounding": "rounds as an engine does that models are not compared with",
    "requantise": "in fixed point results may differ by one step, which no engine computes",
    "activations": "rounds activations, which no engine does",
    "decisions": "are about kernels that only a compilation names; `tests/decisions` gives random ones back",
    "records": "are about kernels that only a compilation names",
    "external": "takes libraries and compilers that few machines have",
    "place": "names kernels, which only a compilation knows; `tests/end_to_end/test_code_pools.py` gives some",
    "interface": "adds files to the same tree; `tests/emit/test_tvm_interface.py` runs them",
    "line_buffers": "are about operators that only a compilation numbers; budgets of RAM set them",
    "debug": "prints, and changes no C",
}
"""The options that no variant has, each with the reason."""


def _devices(random: Random) -> Mapping[str, Any]:
    """A device that runs what takes fewer cycles there."""
    device = {
        "target": random.choice(DEVICE_TARGETS),
        "placement": "cost",
        "memory": random.choice(("own", "shared")),
        "copy": random.choice(("copy", "start-wait")),
        "calls": random.choice(("plain", "hooks", "start-wait")),
        "clock": random.choice((0.1, 1.0, 8.0)),
        "latency": random.choice((0, 100)),
    }
    return {"dsp": device}


def _pools(random: Random) -> list[str]:
    """One to three memories; the last has room for all, and one that constants are streamed from for these."""
    kinds = ("fast={}", "near={}:buffers", "rom={}:constants", "dtcm={}:loaded", f"flash={ROOM}:streamed")
    first = [each.format(random.choice((64, 1024, 16384))) for each in random.sample(kinds, random.randrange(3))]
    return [*first, f"rest={ROOM}"]


DRAWN: Mapping[str, Callable[[Random], Any]] = {
    "threads": lambda random: random.choice((2, 3)),
    "steps": lambda random: f"{random.choice((1, 256, 4096, ROOM))}macs",
    "ram_budget": lambda random: random.choice(("min", ROOM)),
    "flash_budget": lambda _: ROOM,
    "stack_budget": lambda _: ROOM,
    "prefer": lambda random: random.choice(get_args(Prefer)),
    "pools": _pools,
    "devices": _devices,
    "scratch": lambda random: random.choice((0, 64, 4096)),
    "transformed": lambda random: random.choice((0, ROOM)),
    "transformed_ram": lambda random: random.choice((0, ROOM)),
    PASSES: lambda random: {"level": random.randrange(4), "fusion_depth": random.choice((1, 2, 256))},
}
"""How an option is drawn whose type does not tell its values."""


def drawer_of(option: "Field[Any]") -> Callable[[Random], Any] | None:
    """Return what draws an option; None for one that is not drawn."""
    if option.name in NOT_DRAWN:
        return None
    if option.name in DRAWN:
        return DRAWN[option.name]
    if option.type is bool:
        return lambda _: True
    choices = [choice for choice in _choices(option.type) if choice != default_of(option)]
    if not choices:
        raise TypeError(f"option {option.name} of {option.type} is neither drawn nor said not to be")
    return lambda random: random.choice(choices)


def _choices(type: Any) -> tuple[Any, ...]:
    """The values of a type of words, or of such a type and None."""
    if get_origin(type) is Literal:
        return get_args(type)
    return tuple(choice for part in get_args(type) for choice in _choices(part))


def draw_options(random: Random, beside: Values, share: float = SHARE) -> Values:
    """Draw options that contradict neither the options `beside` them nor each other."""
    drawn: Values = {}
    for option in fields(CompileOptions):
        draw = drawer_of(option)
        if draw is None or option.name in beside or random.random() >= SHARES.get(option.name, share):
            continue
        candidate = {**drawn, option.name: draw(random)}
        if _agree({**beside, **candidate}):
            drawn = candidate
    return drawn


def _agree(values: Values) -> bool:
    """Return whether no option contradicts another one."""
    try:
        check_refused(options_of(values))
    except InputError:
        return False
    return True


def options_of(values: Values) -> CompileOptions:
    """Return the options of these values."""
    passes = PassOptions(**cast(dict[str, Any], values.get(PASSES, {})))
    given: dict[str, Any] = {**values, PASSES: passes}
    return CompileOptions(**given)
