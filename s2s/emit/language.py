"""Write the tokeniser of a language model, and the program to talk to it."""

from typing import NamedTuple

import numpy as np
from xdsl.dialects.builtin import IntegerType, Signedness

from s2s.c_syntax.identifiers import c_macro, c_string
from s2s.emit.arenas import arena_arguments, arena_definitions, joint_arguments, joint_definitions
from s2s.emit.definitions import Row
from s2s.emit.info import NetworkInfo, TogetherInfo
from s2s.emit.weights import ConstantArray
from s2s.types.language import NO_TOKEN, TABLES, Tokenizer, Turns

COUNTED = {
    "merges": ("num_merges", 4),
    "characters": ("num_characters", 2),
    "special": ("num_special", 1),
    "letters": ("num_letters", 2),
    "numbers": ("num_numbers", 2),
    "capitals": ("num_capitals", 2),
    "small": ("num_small", 2),
    "cuts": ("num_cuts", 4),
    "ends": ("num_ends", 1),
}
"""The tables whose lengths the C structure has, with the integers of a row."""
MIN_TEXT, MAX_TEXT = 8192, 1 << 20
BYTES_OF_TOKEN = 16
"""The bytes of text that a token stands for, with room to spare: about 4 in English."""
MAX_LITERAL = 4095
"""The bytes of a string literal that C99 compilers take at least."""
UNSIGNED = {bits: IntegerType(bits, Signedness.UNSIGNED) for bits in (8, 32)}


class PrefillView(NamedTuple):
    """The network that takes several tokens a run."""

    tokens: int
    call: str
    last: str
    """The input with the number of the token whose logits are wanted."""


class TurnsView(NamedTuple):
    """What stands around the texts of a conversation, as literals of C."""

    opening: str
    closing: str
    between: str | None
    """None if each text begins a conversation of its own."""
    system: tuple[str, str] | None


class LanguageView(NamedTuple):
    """What the templates of tokeniser and chat take."""

    header: str
    """The header of the tree, without `.h`."""
    arrays: tuple[ConstantArray, ...]
    fields: tuple[Row, ...]
    """The members of `s2s_tokenizer` with their values, in order."""
    turns: TurnsView | None
    """What stands around texts, if the model has turns that are told by such texts."""
    positions: int
    context: int
    text: int
    """The bytes of a conversation that fits into the context."""
    call: str
    """The call of the run function."""
    reset: str
    loads: tuple[str, ...]
    """The calls that copy constants to the memory pools that hold them, once."""
    memory: tuple[str, ...]
    """The definitions of the arena, inputs and outputs."""
    token: str
    position: str
    logits: str
    logits_macro: str
    threads: str
    """The macro with the number of threads; empty if there is only one."""
    prefill: PrefillView | None
    """The network that takes several tokens a run, if the tree has one."""


def language_view(info: NetworkInfo, joint: TogetherInfo | None) -> LanguageView | None:
    """The view of a network that has a tokeniser and takes one token a run, in a tree of several if `joint`."""
    language = info.language
    if language is None or not isinstance(language.tokenizer, Tokenizer) or language.tokens > 1:
        return None
    if info.executor != "aot":
        return None
    tokenizer, name = language.tokenizer, info.name
    ports, prefill = {port.name: port for port in info.ports}, _prefill(joint)
    longest = info if prefill is None else prefill
    tree = joint.name if joint is not None else name
    return LanguageView(
        header=tree,
        arrays=_arrays(tokenizer, name),
        fields=tuple(_fields(tokenizer, name)),
        turns=_turns(tokenizer.turns),
        positions=language.positions,
        context=language.context,
        text=min(max(MIN_TEXT, BYTES_OF_TOKEN * language.context), MAX_TEXT),
        call=_call(info, joint),
        reset=info.reset(_arenas(info, joint)),
        loads=tuple(
            each.load(_arenas(each, joint)) for each in (info, *([] if prefill is None else [prefill])) if each.loaded
        ),
        memory=(
            *(arena_definitions(info, f"{name}_arena") if joint is None else joint_definitions(joint)),
            *(f"static {port.c_type} {port.identifier}[{longest.port_macro(port)}_SIZE];" for port in longest.ports),
        ),
        token=ports["token"].identifier,
        position=ports["position"].identifier,
        logits=ports["logits"].identifier,
        logits_macro=info.port_macro(ports["logits"]),
        threads=f"{c_macro(name)}_THREADS" if info.threads is not None else "",
        prefill=None
        if prefill is None or prefill.language is None
        else PrefillView(
            prefill.language.tokens,
            _call(prefill, joint),
            next(port.identifier for port in prefill.inputs if port.name == "last"),
        ),
    )


def _turns(turns: Turns | str) -> TurnsView | None:
    """The texts as literals, if a C compiler takes literals of their lengths."""
    if isinstance(turns, str):
        return None
    texts = (turns.opening, turns.closing, turns.between or "", *(turns.system or ()))
    if max(len(text.encode()) for text in texts) > MAX_LITERAL:
        return None
    return TurnsView(
        c_string(turns.opening),
        c_string(turns.closing),
        None if turns.between is None else c_string(turns.between),
        None if turns.system is None else (c_string(turns.system[0]), c_string(turns.system[1])),
    )


def _prefill(joint: TogetherInfo | None) -> NetworkInfo | None:
    """The network of a tree that takes several tokens a run and keeps the same state."""
    networks = joint.networks if joint is not None and joint.shares_state else ()
    return next((each for each in networks if each.language is not None and each.language.tokens > 1), None)


def _arenas(info: NetworkInfo, joint: TogetherInfo | None) -> list[str]:
    """The arena of a network, or its parts in memory pools, as its functions take them."""
    return arena_arguments(info, f"{info.name}_arena") if joint is None else joint_arguments(info, joint)


def _call(info: NetworkInfo, joint: TogetherInfo | None) -> str:
    return info.run(_arenas(info, joint), [port.identifier for port in info.ports])


def _arrays(tokenizer: Tokenizer, name: str) -> tuple[ConstantArray, ...]:
    """The tables that have elements, as constants."""
    arrays = {"text": (8, tokenizer.text), **{key: (32, table) for key, table in tokenizer.tables.items()}}
    return tuple(
        ConstantArray(f"{name}_tokens_{key}", UNSIGNED[bits], np.asarray(array.reshape(-1), order="C"), key)
        for key, (bits, array) in arrays.items()
        if array.size
    )


def _fields(tokenizer: Tokenizer, name: str) -> list[Row]:
    """The initialisers of the C structure."""
    sizes = {"text": tokenizer.text.size, **{key: table.size for key, table in tokenizer.tables.items()}}
    rows = [Row(key, f"{name}_tokens_{key}" if sizes.get(key) else "NULL") for key in ("text", *TABLES)]
    rows.append(Row("size", f"{tokenizer.size}u"))
    rows += [Row(member, f"{sizes.get(key, 0) // width}u") for key, (member, width) in COUNTED.items()]
    rows.append(Row("begin", "S2S_TOKEN_NONE" if tokenizer.begin == NO_TOKEN else f"{tokenizer.begin}u"))
    rows.append(Row("words", f"S2S_WORDS_{tokenizer.words.upper()}"))
    rows.append(Row("digits", f"{tokenizer.digits}u"))
    return [*rows, Row("space_before", "true" if tokenizer.space_before else "false")]
