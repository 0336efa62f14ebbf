"""The keys of a target file: the type, range or pattern of each, and its documentation.

A value of a target ends up in C, in a Makefile, in CMake and in commands that build them. So names and flags may only
hold characters that mean nothing to any of these, and only flags that choose code are taken: none that loads a plugin
into the compiler, includes a file or writes one.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from s2s.errors import InputError
from s2s.support.frozen import frozen

METADATA = "key"
"""Where a field of a dataclass keeps its `Key`."""


Check = Callable[[Mapping[str, Any]], str | None]
"""Returns which values contradict each other, and the way out; None if none do."""


class Kind(Protocol):
    """A set of values."""

    @property
    def words(self) -> str:
        """Describe such a value: `a number from 1 to 256`."""
        ...

    def holds(self, value: object) -> bool:
        """Return whether `value` is of this kind."""
        ...


@frozen
class Number:
    """A whole number in a range, both ends included."""

    least: int
    most: int

    @property
    def words(self) -> str:
        """The range."""
        return f"a whole number from {self.least} to {self.most}"

    def holds(self, value: object) -> bool:
        """Whether it is a number of the range; `true` is none."""
        return isinstance(value, int) and not isinstance(value, bool) and self.least <= value <= self.most


@frozen
class OneOf:
    """One of several values."""

    values: tuple[int | str, ...]

    @property
    def words(self) -> str:
        """The values."""
        return "one of " + ", ".join(map(str, self.values))

    def holds(self, value: object) -> bool:
        """Whether it is one of them, of the same type."""
        return any(type(value) is type(each) and value == each for each in self.values)


@frozen
class Text:
    """A text that matches a pattern."""

    pattern: str
    says: str
    """The pattern in words."""
    refused: str = "(?!)"
    """A pattern of what is refused all the same."""

    @property
    def words(self) -> str:
        """The pattern in words."""
        return f"text: {self.says}"

    def holds(self, value: object) -> bool:
        """Whether all of it has the pattern."""
        return (
            isinstance(value, str)
            and re.fullmatch(self.pattern, value, re.ASCII) is not None
            and re.match(self.refused, value) is None
        )


@frozen
class ListOf:
    """Any number of texts that match one pattern."""

    each: Text

    @property
    def words(self) -> str:
        """The pattern in words."""
        return f"a list of texts: {self.each.says}"

    def holds(self, value: object) -> bool:
        """Whether all of them have the pattern."""
        return isinstance(value, (tuple, list)) and all(map(self.each.holds, value))  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]


@frozen
class Numbers:
    """One or more numbers out of several values."""

    values: tuple[int, ...]

    @property
    def words(self) -> str:
        """The values."""
        return "a list of numbers, each one of " + ", ".join(map(str, self.values))

    def holds(self, value: object) -> bool:
        """Whether there are some, all of them of these values, each once."""
        if not isinstance(value, (tuple, list)):
            return False
        numbers: list[object] = list(value)  # pyright: ignore[reportUnknownArgumentType]
        known = all(any(type(each) is int and each == one for one in self.values) for each in numbers)
        return bool(numbers) and known and len(set(numbers)) == len(numbers)


@frozen
class Key:
    """A key of a file."""

    kind: Kind
    says: str
    """What its value is, in a line or two."""


def key(kind: Kind, says: str) -> Mapping[str, Key]:
    """Return the metadata of a field of a dataclass."""
    return {METADATA: Key(kind, says)}


NAME = Text(r"[a-z0-9][a-z0-9._+-]{0,39}", "small letters, digits and . _ + -, at most 40")
DESCRIPTION_LENGTH = 120
DESCRIPTION = Text(rf"[ -~]{{0,{DESCRIPTION_LENGTH}}}", f"one line of at most {DESCRIPTION_LENGTH} ASCII characters")
COMMAND = Text(r"|[A-Za-z0-9][A-Za-z0-9._+-]{0,79}", "the name of a program, without a path")
PACKAGE = Text(r"[a-z0-9][a-z0-9.+-]{0,79}", "the name of a Debian package")
FOLDER = Text(r"|/usr/[A-Za-z0-9_+/-]*", "a folder below /usr")
CFLAG = Text(
    r"-(m|f|O|D|U|W|specs=|-target=)[A-Za-z0-9_+=.:-]*",
    "flags that choose code (-m… -f… -O… -D… -U… -W… -specs=… --target=…) of letters, digits and _ + = . : -",
    # A plugin is code that the compiler runs; `-wrapper` and `-Wl,` cannot be spelled with these characters.
    refused=r"-f(plugin|dump|profile)|-f.*-file|-M",
)


def shown(value: object) -> str:
    """Return a value as a file states it, shortened to one line."""
    text = repr(value) if not isinstance(value, bool) else str(value).lower()
    return text if len(text) <= 60 else f"{text[:57]}…"


def fault_of(name: str, value: object, kind: Kind) -> str | None:
    """Return the fault of the value of key `name`, and the way out; None if nothing is."""
    return None if kind.holds(value) else f"{name} = {shown(value)}: is not {kind.words}; give such a value"


def check_fields(what: str, value: object, keys: Mapping[str, Key], contradiction: Check) -> None:
    """Refuse a dataclass with a wrong field, or with fields that contradict each other; `what` names its class."""
    values = {name: getattr(value, name) for name in keys}
    for name, each in values.items():
        if fault := fault_of(name, each, keys[name].kind):
            raise InputError(f"{what}: {fault}")
    if fault := contradiction(values):
        raise InputError(f"{what} {values['name']}: {fault}")


def unknown_key(name: str, known: Mapping[str, Any]) -> str:
    """Return the error about an unknown key."""
    return f"{shown(name)}: there is no such key; {did_you_mean(name, known)}the keys are {', '.join(known)}"


def did_you_mean(name: str, known: Mapping[str, Any] | tuple[str, ...]) -> str:
    """Return the guess of the intended name that precedes a list of names; empty if none is near."""
    from difflib import get_close_matches

    near = get_close_matches(name, list(known), 1)
    return f"did you mean {near[0]}? " if near else ""
