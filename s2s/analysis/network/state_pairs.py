"""Find inputs that look like an output of the run before: pairs to give as `--state IN=OUT`.

A pair has one type. Its names say the same but for words that tell the old value from the new one:

    h_in, h_out    state, new_state    past_key_values.0.key, present.0.key    h0, hn

Exporters that number their outputs leave no name to compare. There an input whose name has a word of state (`hidden`,
`cache`, ...) is paired with the only output of its type.
"""

import re
from collections.abc import Sequence

from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from s2s.analysis.network.functions import NAME, input_numbers, output_numbers, text

OLD = frozenset(["in", "input", "prev", "previous", "past", "old", "last", "init", "initial", "start", "before"])
NEW = frozenset(
    ["out", "output", "next", "present", "new", "n", "cur", "curr", "current", "updated", "final", "end", "after"]
)
STATE_WORDS = frozenset(
    [
        "state",
        "states",
        "hidden",
        "cache",
        "caches",
        "memory",
        "mem",
        "past",
        "previous",
        "prev",
        "buffer",
        "context",
        "carry",
        "h0",
        "c0",
    ]
)
_FILLERS = re.compile(r"key_?values?|(?<![a-z])kv(?![a-z])", re.IGNORECASE)
"""What transformer exports write on one side of a pair only."""
_FIRST_OR_LAST = re.compile(r"([a-zA-Z])_?[0nN]")
"""`h0`, `hn`: the value before the first step, and that after the last."""
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")

Port = tuple[str, Attribute]
"""A name and a type."""


def state_pairs(main: FuncOp) -> dict[str, str]:
    """Return inputs of `main` that may be state, each with the output that is its next value; one output stays."""
    inputs = _ports(
        [text(each, NAME) for each in main.arg_attrs or ()], main.function_type.inputs.data, input_numbers(main)
    )
    outputs = _ports(
        [text(each, NAME) for each in main.res_attrs or ()], main.function_type.outputs.data, output_numbers(main)
    )
    pairs: dict[str, str] = {}
    for find in (_by_names, _by_type):
        for name, type in inputs:
            free = [output for output in outputs if output[0] not in pairs.values() and output[1] == type]
            if name not in pairs and (found := find(name, free)) is not None:
                pairs[name] = found
    return pairs if len(pairs) < len(outputs) else {}


def _ports(names: Sequence[str | None], types: Sequence[Attribute], numbers: Sequence[int]) -> list[Port]:
    return [(name, types[number]) for number in numbers if (name := names[number]) is not None]


def _by_names(name: str, outputs: Sequence[Port]) -> str | None:
    """Return the only output whose name says the same."""
    says = core(name, OLD)
    found = [output for output, _ in outputs if says and says == core(output, NEW)]
    return found[0] if len(found) == 1 else None


def _by_type(name: str, outputs: Sequence[Port]) -> str | None:
    """Return the only output, if the name of the input is one of state."""
    words = {word.lower() for word in _WORDS.findall(name)} | {name.lower()}
    return outputs[0][0] if len(outputs) == 1 and words & STATE_WORDS else None


def core(name: str, markers: frozenset[str]) -> tuple[str, ...]:
    """Return the words of a name without `markers`: (`0`, `key`) of `past_key_values.0.key`, (`h`) of `h0` and `hn`.

    Names of numbers alone say nothing, except those that call themselves past or present: () of `input_1`.
    """
    if numbered := _FIRST_OR_LAST.fullmatch(name):
        return (numbered[1].lower(),)
    words = tuple(word.lower() for word in _WORDS.findall(_FILLERS.sub("", name)))
    rest = tuple(word for word in words if word not in markers)
    says_something = any(not word.isdigit() for word in rest) or {"past", "present"} & set(words)
    return rest if says_something else ()
