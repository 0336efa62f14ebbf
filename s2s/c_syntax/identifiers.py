"""Make text of a model safe for identifiers, comments and strings in generated files.

Names and descriptions in a model are written by strangers: they hold spaces, keywords, comment ends, newlines,
trigraphs (`??/` is a backslash in C99), letters that read from right to left. Every such text passes through one of
these functions, one for each kind of place, and nothing else prints it.
"""

import hashlib
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from itertools import count

from s2s.c_syntax.reserved import RESERVED

SIGNIFICANT = 31
"""Characters of an external name that every C99 compiler tells apart (C99 5.2.4.1)."""

_MAX_LENGTH = 48
"""Characters that a name may have for a reader's sake, if its first `SIGNIFICANT` are its own."""
_HASH_DIGITS = 6


def c_identifier(text: str, limit: int = SIGNIFICANT) -> str:
    """A C identifier that reads like `text`: lower-case ASCII, no keyword, no reserved name, at most `limit` long.

    Different texts may give the same identifier; `unique_identifiers` tells them apart. A name that is cut ends in six
    digits of its hash, so that long names with the same beginning differ.
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    word = re.sub(r"[^a-z0-9]+", "_", plain).strip("_") or "unnamed"
    if word[0].isdigit():
        word = f"n{word}"
    if word in RESERVED:
        word = f"{word}_"
    if len(word) > limit:
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_DIGITS]
        word = f"{word[: limit - _HASH_DIGITS - 1].rstrip('_')}_{digest}"
    return word


def unique_identifiers(
    texts: Iterable[str], *, prefix: str = "", taken: Collection[str] = (), longest: int = _MAX_LENGTH
) -> list[str]:
    """One identifier for each text, none of them `taken`: `conv`, `conv_2`, `conv_3`.

    They differ within the characters that every compiler tells apart; while it does, a name may be longer than that.
    The number of a long name stands at its beginning: `net_2_a_very_long_name`.
    """
    used = {name[:SIGNIFICANT] for name in taken}
    spellings: dict[str, Iterator[str]] = {}
    """By text its spellings that are not tried yet: the ones before are used, and stay so."""
    names: list[str] = []
    for text in texts:
        candidates = spellings.setdefault(text, _spellings(prefix, text, longest))
        names.append(next(name for name in candidates if name[:SIGNIFICANT] not in used))
        used.add(names[-1][:SIGNIFICANT])
    return names


def _spellings(prefix: str, text: str, longest: int) -> Iterator[str]:
    """Identifiers for `text` behind `prefix`, then for the same with one number after the other."""
    return (c_identifier(each, longest) for each in _numbered(prefix, text))


def _numbered(prefix: str, text: str) -> Iterator[str]:
    whole = f"{prefix}{text}"
    yield whole
    for number in count(2):
        suffix = f"_{number}"
        plain = c_identifier(whole, len(whole) + 1)
        yield f"{whole}{suffix}" if len(plain) + len(suffix) <= SIGNIFICANT else f"{prefix}{number}_{text}"


def port_identifiers(inputs: Iterable[str], outputs: Iterable[str]) -> tuple[list[str], list[str]]:
    """The parameters of a network's run function: inputs, then outputs, beside its arena."""
    inputs = list(inputs)
    names = unique_identifiers([*inputs, *outputs], taken={"arena", "a"})
    return names[: len(inputs)], names[len(inputs) :]


def size_identifiers(sizes: Iterable[str]) -> dict[str, str]:
    """The fields of the structure that gives a network its sizes, by the names of the sizes in the model.

    A name that C or its libraries reserve is followed by a word: `index_size`. `index_` would give a macro with two
    underscores, `NET_INDEX__MAX`, which C++ reserves.
    """
    names = list(sizes)
    texts = [f"{name}_size" if c_identifier(name).endswith("_") else name for name in names]
    return dict(zip(names, unique_identifiers(texts), strict=True))


def sizes_type(network: str) -> str:
    """The type of the structure that gives a network its sizes."""
    return f"{network}_dims"


def c_macro(identifier: str) -> str:
    """The macro spelling of an identifier."""
    return identifier.upper()


def pool_macro(pool: str) -> str:
    """The macro in front of what lies in a memory pool, constants or functions: `S2S_POOL_TCM`."""
    return f"S2S_POOL_{pool.upper()}"


def c_comment(text: str) -> str:
    """`text` as one line that stays inside `/* … */`, under any standard and any warning about comments."""
    line = re.sub(r"\?(?=\?)", "? ", _one_line(text))
    while "*/" in line or "/*" in line:
        line = line.replace("*/", "* /").replace("/*", "/ *")
    return line.rstrip("\\ ")


def line_comment(text: str) -> str:
    """`text` as the rest of a line after `#` in make, CMake or shell."""
    line = _one_line(text).replace("[[", "[ [").replace("[=", "[ =")
    return line.rstrip("\\ ")


def markdown_code(text: str) -> str:
    """`text` as inline code in Markdown, backticks and all."""
    line = _one_line(text).replace("|", "\\|")
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", line)), default=0))
    pad = " " if line.startswith("`") or line.endswith("`") or not line else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def c_string(text: str) -> str:
    """`text` as a C string literal, in UTF-8; whatever is not plain ASCII is an octal escape."""
    return '"' + "".join(map(_c_character, text.encode("utf-8", "surrogatepass"))) + '"'


def _c_character(byte: int) -> str:
    """One byte inside a string literal. A question mark is escaped, as two of them may begin a trigraph."""
    character = chr(byte)
    if character in '"\\?':
        return f"\\{character}"
    return character if 0x20 <= byte < 0x7F else f"\\{byte:03o}"


def _one_line(text: str) -> str:
    """`text` in printable ASCII on one line; other characters are spelt as escapes."""
    spaced = re.sub(r"\s", " ", text).strip()
    escaped = spaced.encode("ascii", "backslashreplace").decode()
    return "".join(character if character.isprintable() else f"\\x{ord(character):02x}" for character in escaped)
