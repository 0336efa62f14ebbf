"""Find what a chat template writes around the texts of a conversation, for programs that cannot render it.

    opening u1 closing                              the first text of the user, up to the answer
    opening u1 closing a1 between u2 closing        the next one

A conversation of five messages that the template renders must equal its texts with these pieces around them. It does
not where a template rewrites earlier answers, as those do that cut the reasoning in `<think>`.
"""

from collections.abc import Sequence
from datetime import datetime

from s2s.chat.rendering import Conversation, Message, render
from s2s.errors import InputError
from s2s.types.language import ChatTemplate, Turns

SYSTEM = "the\u2400system"
USER = ("first\u2400text", "second\u2400text", "third\u2400text")
ANSWERS = ("first\u2400answer", "<think>\nsecond\u2400thought\n</think>\n\nsecond\u2400answer")
"""Texts that stand in no template, without white space at their ends, which many templates cut."""
ANY_DAY = datetime(2000, 1, 1)
SPACE = " "
"""What a template may write before an answer, where the first token of the answer brings its own space."""


def read_template(text: str, tokens: dict[str, str], label: str, begin: str = "") -> tuple[ChatTemplate, Turns | str]:
    """Return a template with the tokens that it writes around texts, or the reason why there is none; `tokens` are the
    special tokens that it may name, `label` names the model, `begin` is the token that the tokeniser puts before a text
    by itself."""
    template = ChatTemplate(text, tokens)
    try:
        shown = _rendered(template, label, USER[:1], ANY_DAY)
    except InputError as error:
        shown, reason = "", str(error)
    else:
        reason = f"{label}: its chat template writes no text of the user; give the model another template"
    if USER[0] in shown:
        return template, _read_turns(template, label, begin)
    template = template._replace(in_parts=True)
    try:
        shown = _rendered(template, label, USER[:1], ANY_DAY)
    except InputError:
        return template._replace(in_parts=False), reason
    return (template, _read_turns(template, label, begin)) if USER[0] in shown else (ChatTemplate(text, tokens), reason)


def message(template: ChatTemplate, role: str, text: str) -> Message:
    """Return a message as `template` takes it: a text, or a list of parts."""
    return {"role": role, "content": [{"type": "text", "text": text}] if template.in_parts else text}


def _read_turns(template: ChatTemplate, label: str, begin: str) -> Turns | str:
    """Return the pieces. `strftime_now` is undefined: a conversation takes place on another day than compiling."""
    try:
        one = _rendered(template, label, USER[:1])
    except InputError as error:
        return str(error)
    opening, _, closing = one.partition(USER[0])
    system = _around_system(template, label, USER[0] + closing, begin)
    return Turns(opening.removeprefix(begin), closing, _between(template, label, one, closing), system)


def _between(template: ChatTemplate, label: str, one: str, closing: str) -> str | None:
    """Return what stands between an answer and the next text, or None if that is not all there is to it."""
    try:
        three, five = (_rendered(template, label, USER[:count]) for count in (2, 3))
    except InputError:
        return None
    lead = SPACE if three.startswith(f"{one}{SPACE}{ANSWERS[0]}") else ""
    answered, second = f"{one}{lead}{ANSWERS[0]}", f"{USER[1]}{closing}"
    if not (three.startswith(answered) and three.endswith(second)):
        return None
    between = three[len(answered) : -len(second)]
    return between if five == f"{three}{lead}{ANSWERS[1]}{between}{USER[2]}{closing}" else None


def _around_system(template: ChatTemplate, label: str, first: str, begin: str) -> tuple[str, str] | None:
    """Return what stands before a system prompt, and between it and the first text, or None if there is none."""
    messages = [message(template, "system", SYSTEM), message(template, "user", USER[0])]
    try:
        (text,) = render(template.text, [Conversation(messages)], template.tokens, label)
    except InputError:
        return None
    before, found, after = text.partition(SYSTEM)
    if not found or not after.endswith(first):
        return None
    return before.removeprefix(begin), after.removesuffix(first)


def _rendered(template: ChatTemplate, label: str, users: Sequence[str], moment: datetime | None = None) -> str:
    """Render a conversation that ends with the last of `users`."""
    messages: list[Message] = []
    for number, text in enumerate(users):
        messages += [message(template, "assistant", ANSWERS[number - 1])] if number else []
        messages.append(message(template, "user", text))
    (shown,) = render(template.text, [Conversation(messages)], template.tokens, label, moment)
    return shown
