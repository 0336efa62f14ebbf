"""Split Relay's text format into tokens."""

import json
import re
from collections.abc import Sequence
from typing import Any

from s2s.errors import InputError
from s2s.support.frozen import frozen

PATTERN = re.compile(
    r"(?P<space>\s+|/\*.*?\*/|//[^\n]*)"
    r"|(?P<string>\"(?:[^\"\\]|\\.)*\")"
    r"|(?P<local>%[A-Za-z_0-9][\w.]*?(?=\.\d|[^\w.]|$))"
    r"|(?P<global>@[A-Za-z_]\w*)"
    r"|(?P<number>-?(?:\d+\.?\d*(?:[eE][+-]?\d+)?)(?:f64|f16|f|i64|i8|i32|i16|u8)?(?![\w]))"
    r"|(?P<name>[A-Za-z_][\w.]*)"
    r"|(?P<mark>->|==|!=|<=|>=|[()\[\]{},;:=.+*/<>-])",
    re.DOTALL,
)
VERSION = re.compile(r"#\[version\s*=\s*\"[^\"]*\"\]")
METADATA = "#[metadata]"


@frozen
class Token:
    """A piece of text: its kind, and where it starts."""

    kind: str
    text: str
    place: int


class Tokens:
    """The tokens of a text, from the next one on, and the metadata behind it."""

    def __init__(self, text: str, where: str) -> None:
        source, _, behind = VERSION.sub("", text, count=1).partition(METADATA)
        self.source, self.where, self.at = source, where, 0
        self.metadata: dict[str, list[dict[str, Any]]] = json.loads(behind) if behind.strip() else {}
        self.tokens = self._split()

    def _split(self) -> Sequence[Token]:
        tokens, place = list[Token](), 0
        while place < len(self.source):
            match = PATTERN.match(self.source, place)
            if match is None or match.lastgroup is None:
                raise self.invalid(f"{self.source[place]!r} is no part of the language", place)
            if match.lastgroup != "space":
                tokens.append(Token(match.lastgroup, match.group(), place))
            place = match.end()
        return tokens

    @property
    def next(self) -> Token:
        """The next token; at the end, one without text."""
        return self.tokens[self.at] if self.at < len(self.tokens) else Token("end", "", len(self.source))

    def peek(self, distance: int) -> str:
        """The text of a token behind the next one."""
        return self.tokens[self.at + distance].text if self.at + distance < len(self.tokens) else ""

    def take(self, kind: str = "") -> str:
        """The text of the next token, which is passed; it has to be of a kind where one is given."""
        token = self.next
        if kind and token.kind != kind:
            raise self.invalid(f"{token.text or 'the end'!r} where a {kind} is wanted")
        self.at += 1
        return token.text

    def accept(self, text: str) -> bool:
        """Pass the next token where it is `text`."""
        if self.next.text != text or self.next.kind in ("string", "end"):
            return False
        self.at += 1
        return True

    def expect(self, text: str) -> None:
        """Pass the next token, which has to be `text`."""
        if not self.accept(text):
            raise self.invalid(f"{self.next.text or 'the end'!r} where {text!r} is wanted")

    def invalid(self, fact: str, place: int | None = None) -> InputError:
        """The error of a text that cannot be read at the next token, or at a place."""
        line = self.source.count("\n", 0, self.next.place if place is None else place) + 1
        return InputError(f"{self.where}: line {line}: {fact}; see what astext() writes")
