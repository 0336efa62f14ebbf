"""Render conversations by a chat template: a program of a stranger, run in a child process of limited time and memory.

A template may loop for ever, multiply texts, or nest so deep that a parser overflows. In the child process this ends
by a signal or an error, and the parent refuses the template.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from s2s.errors import InputError
from s2s.support.child import run_in_child
from s2s.support.frozen import frozen

SECONDS = 20.0
"""The time until all conversations are rendered, on a machine that may be busy."""
CPU_SECONDS = 3.0
"""The time of the processor that rendering all conversations may take; templates take some milliseconds."""
MEMORY = 256 * 2**20
"""The bytes that rendering may take beyond the bytes that the process has taken before."""
MAX_CHARACTERS = 4 * 2**20
"""The most characters that all conversations may have."""
MAX_REASON = 200
"""The most characters of the reason that a template gives for a refusal."""

Message = Mapping[str, object]
"""A turn: `role` (`system`, `user` or `assistant`) and `content`."""


class Conversation(NamedTuple):
    """What a template is applied to."""

    messages: Sequence[Message]
    asks: bool = True
    """Whether the answer of the model is to follow (`add_generation_prompt`)."""


@frozen
class _Request:
    """What a child process renders."""

    template: str
    conversations: Sequence[Conversation]
    tokens: Mapping[str, str]
    moment: datetime | None


def render(
    template: str,
    conversations: Sequence[Conversation],
    tokens: Mapping[str, str],
    label: str,
    moment: datetime | None = None,
) -> list[str]:
    """Return the texts of `conversations`; `tokens` are the special tokens that the template may name (`bos_token`),
    `label` names the model, `moment` is what `strftime_now` tells.

    Raises InputError where the template cannot be rendered within 3 s of processor time, 256 MB and 4 M characters.
    """
    request = _Request(template, conversations, tokens, moment)
    ended = run_in_child(partial(_rendered, request), SECONDS, MEMORY, CPU_SECONDS)
    if isinstance(ended.result, list):
        return ended.result
    reason = ended.result or f"it takes more than {CPU_SECONDS:g} s or {MEMORY >> 20} MB: {ended.reason}"
    raise InputError(f"{label}: its chat template cannot be rendered ({reason}); give the model another template")


def _rendered(request: _Request) -> list[str] | str:
    """Return the texts, or why there are none."""
    from jinja2 import TemplateSyntaxError

    from s2s.chat.environment import chat_environment

    try:
        template = chat_environment(request.moment).from_string(request.template)
        return _texts(template, request)
    except MemoryError:
        raise
    except TemplateSyntaxError as error:
        return _one_line(f"line {error.lineno}: {error.message}")
    except Exception as error:  # whatever the expressions of a template raise
        return _one_line(f"{type(error).__name__}: {error}")


def _texts(template: Any, request: _Request) -> list[str] | str:
    left, texts = MAX_CHARACTERS, list[str]()
    for conversation in request.conversations:
        pieces: list[str] = []
        for piece in template.generate(
            messages=conversation.messages,
            tools=None,
            documents=None,
            add_generation_prompt=conversation.asks,
            **request.tokens,
        ):
            left -= len(piece)
            if left < 0:
                return f"it writes more than {MAX_CHARACTERS:,} characters"
            pieces.append(piece)
        texts.append("".join(pieces))
    return texts


def _one_line(text: str) -> str:
    line = "".join(c if c.isprintable() else " " for c in text[:MAX_REASON])
    return line if len(text) <= MAX_REASON else f"{line}…"
