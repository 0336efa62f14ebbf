"""Write the tokeniser of a language model, and the program to talk to it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from xdsl.dialects.builtin import IntegerType, Signedness

from s2s.c_syntax.identifiers import c_macro, c_string
from s2s.c_syntax.types import c_type
from s2s.emit.definitions import Row
from s2s.emit.info import NetworkInfo
from s2s.emit.readme import arena_definitions
from s2s.emit.view import PortView
from s2s.emit.weights import ConstantArray
from s2s.types.language import NO_TOKEN, Tokenizer

TABLES = {
    "merges": ("num_merges", 4),
    "characters": ("num_characters", 2),
    "special": ("num_special", 1),
    "letters": ("num_letters", 2),
    "numbers": ("num_numbers", 2),
}
"""The tables whose lengths the C structure has, with the integers of a row."""
UNSIGNED = {bits: IntegerType(bits, Signedness.UNSIGNED) for bits in (8, 32)}


class LanguageView(NamedTuple):
    """What the templates of tokeniser and chat take."""

    arrays: tuple[ConstantArray, ...]
    fields: tuple[Row, ...]
    """The members of `s2s_tokenizer` with their values, in order."""
    opening: str
    closing: str
    between: str
    positions: int
    call: str
    """The call of the run function with `arena`."""
    reset: str
    memory: tuple[str, ...]
    """The definitions of the arena, inputs and outputs."""
    token: str
    position: str
    logits: PortView
    threads: str
    """The macro with the number of threads; empty if there is only one."""


def language_view(info: NetworkInfo, inputs: Sequence[PortView], outputs: Sequence[PortView]) -> LanguageView | None:
    """The view of a network that has a tokeniser."""
    if info.language is None or not isinstance(info.language.tokenizer, Tokenizer) or info.executor != "aot":
        return None
    tokenizer, name = info.language.tokenizer, info.name
    named = {port.name: view for port, view in zip((*info.inputs, *info.outputs), (*inputs, *outputs), strict=True)}
    arena = f"{name}_arena"
    pool = "&pool, " if info.threads is not None else ""
    names = ", ".join(view.identifier for view in (*inputs, *outputs))
    turns = tokenizer.turns
    return LanguageView(
        arrays=_arrays(tokenizer, name),
        fields=tuple(_fields(tokenizer, name)),
        opening=c_string(turns.opening),
        closing=c_string(turns.closing),
        between=c_string(turns.between),
        positions=info.language.positions,
        call=f"{name}_run({arena}, {pool}{names})",
        reset=f"{name}_reset({arena})",
        memory=(
            *arena_definitions(info, arena),
            *(f"static {c_type(view.element)} {view.identifier}[{view.macro}_SIZE];" for view in (*inputs, *outputs)),
        ),
        token=named["token"].identifier,
        position=named["position"].identifier,
        logits=named["logits"],
        threads=f"{c_macro(name)}_THREADS" if info.threads is not None else "",
    )


def _arrays(tokenizer: Tokenizer, name: str) -> tuple[ConstantArray, ...]:
    """The tables that have elements, as constants."""
    arrays = {"text": (8, tokenizer.text), **{key: (32, table) for key, table in tokenizer.tables.items()}}
    return tuple(
        ConstantArray(f"{name}_tokens_{key}", UNSIGNED[bits], np.ascontiguousarray(array.reshape(-1)), key)
        for key, (bits, array) in arrays.items()
        if array.size
    )


def _fields(tokenizer: Tokenizer, name: str) -> list[Row]:
    """The initialisers of the C structure."""
    tables = tokenizer.tables
    pointers = ("text", "starts", "merges", "characters", "bytes", "special", "letters", "numbers", "by_text")
    sizes = {"text": tokenizer.text.size, **{key: table.size for key, table in tables.items()}}
    rows = [Row(key, f"{name}_tokens_{key}" if sizes.get(key) else "NULL") for key in pointers]
    rows.append(Row("size", f"{tokenizer.size}u"))
    rows += [Row(member, f"{tables[key].size // width}u") for key, (member, width) in TABLES.items()]
    tokens = {"begin": tokenizer.begin, "end": tokenizer.end, "turn": tokenizer.turn}
    rows += [Row(key, "S2S_TOKEN_NONE" if token == NO_TOKEN else f"{token}u") for key, token in tokens.items()]
    rows.append(Row("words", f"S2S_WORDS_{tokenizer.words.upper()}"))
    rows.append(Row("digits", f"{tokenizer.digits}u"))
    return [*rows, Row("space_before", "true" if tokenizer.space_before else "false")]
