"""The page of the C interface, written from the comments in the headers of the runtime."""

import re
from collections.abc import Iterator
from pathlib import Path

INCLUDE = Path(__file__).parents[1] / "runtime_c" / "include"
HEADERS = (
    "s2s.h",
    "s2s_arena.h",
    "s2s_tensor.h",
    "s2s_executor.h",
    "s2s_pool.h",
    "s2s_packed.h",
    "s2s_program.h",
    "s2s_params.h",
    "s2s_serial.h",
    "s2s_trace.h",
    "s2s_sampler.h",
    "s2s_tokenizer.h",
)
"""Headers that callers include; the others belong to kernels."""
COMMENT = re.compile(r"/\*(?P<text>(?:(?!\*/).)*)\*/\n", re.DOTALL)
INTRODUCTION = re.compile(r"^/\* (?P<name>\w+\.h): (?P<text>(?:(?!\*/).)*)\*/", re.DOTALL | re.MULTILINE)
STATUS = re.compile(r"^ +(?P<name>S2S_\w+) = (?P<value>-?\d+),? +/\* (?P<text>.*?) \*/", re.MULTILINE)
TYPE = re.compile(r"typedef (?:struct|enum) \w+ \{.*?\n\} (?P<name>\w+);", re.DOTALL)
DECLARED = re.compile(r"(?:[\w *]+?\b\w+\([^{};]*\)\s*[;{])|(?:#define \w+\([^)]*\))|(?:typedef [^;{]*;)")
PAGE = """# The C interface

The header of a network, `include/<network>.h`, declares its own functions and sizes: `<network>_run(arena, inputs…,
outputs…)`, with `<network>_reset` and `<network>_state` where it keeps state, and macros for the bytes of arena, inputs
and outputs. What is common to all networks is in the headers of the runtime; a tree holds those that its network needs.

Functions return `s2s_status`; `s2s_status_phrase` gives the phrase of one.
"""


def c_page() -> str:
    """The page."""
    lines = [PAGE, "| status | value | meaning |", "|---|---|---|"]
    text = (INCLUDE / "s2s.h").read_text(encoding="utf-8")
    lines += [f"| `{each['name']}` | {each['value']} | {each['text']} |" for each in STATUS.finditer(text)]
    return "\n".join([*lines, "", *(line for name in HEADERS for line in header_section(name))]).rstrip() + "\n"


def header_section(name: str) -> Iterator[str]:
    """A heading, what the header says of itself, and its declarations with their comments."""
    text = (INCLUDE / name).read_text(encoding="utf-8")
    found = INTRODUCTION.search(text)
    assert found is not None, f"{name} begins with no comment of the form `name.h: what it is for`"
    yield from (f"## {name}\n", *prose(found["text"]), "")
    for comment in COMMENT.finditer(text, found.end()):
        type, declared = TYPE.match(text, comment.end()), DECLARED.match(text, comment.end())
        if type is not None and type["name"] != "s2s_status":
            yield from ("```c", type.group(), "```", "", *prose(comment["text"]), "")
        elif declared is not None:
            shown = " ".join(declared.group().rstrip("{; \n").replace("S2S_INLINE ", "").split())
            yield from ("```c", shown, "```", "", *prose(comment["text"]), "")


def prose(text: str) -> list[str]:
    """The text of a comment without its stars."""
    first, *others = text.strip().split("\n")
    return [first[:1].upper() + first[1:], *(re.sub(r"^ ?\*? ?", "", line) for line in others)]
