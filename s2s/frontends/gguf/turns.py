"""Read the chat template of a model, a Jinja template, by what it writes around the texts of a conversation."""

from typing import Any

from jinja2 import TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.gguf.reader import Field
from s2s.types.language import Turns

TEXTS = ("first\u2400text", "first\u2400answer", "second\u2400text")
"""Texts that stand in no template."""


def read_turns(template: Field | None, begin: str, end: str, label: str) -> Turns:
    """What `template` writes around texts; `begin` and `end` are the tokens of those names as text."""
    if template is None:
        return Turns()
    if not isinstance(template, str):
        raise InputError(f"{label}: its chat template is no text; convert the model again")
    roles = zip(("user", "assistant", "user"), TEXTS, strict=True)
    messages = [{"role": role, "content": text} for role, text in roles]
    one, three = (_rendered(template, messages[:count], begin, end, label) for count in (1, 3))
    opening, _, closing = one.partition(TEXTS[0])
    _, _, rest = three.partition(TEXTS[1])
    between, _, closed = rest.partition(TEXTS[2])
    if not all(text in three for text in TEXTS) or TEXTS[0] not in one or closed != closing:
        raise UnsupportedError(f"{label}: its chat template does not write texts one after the other; remove it")
    return Turns(opening.removeprefix(begin), closing, between)


def _rendered(template: str, messages: list[dict[str, str]], begin: str, end: str, label: str) -> str:
    """Fill the template as those who write them expect."""
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)

    def refuse(message: object) -> Any:
        raise TemplateError(str(message))

    given = {"bos_token": begin, "eos_token": end, "add_generation_prompt": True, "raise_exception": refuse}
    try:
        return environment.from_string(template).render(messages=messages, **given)
    except (TemplateError, TypeError, ValueError, OverflowError) as error:
        raise UnsupportedError(f"{label}: its chat template cannot be filled ({error}); remove it") from None
