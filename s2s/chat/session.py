"""Hold a conversation with the chat program of a tree: the host renders the template, the program runs the network.

For each turn the whole conversation is rendered anew, and the program reads what is new behind the tokens that its
cache holds already. So templates may rewrite earlier turns, tell the day, or write turns in any other way.

The program takes a line with a number of bytes, and these; it answers by lines `piece N` with N bytes each, and one of

    end READ RATE WRITTEN RATE PLACE CONTEXT WHY      with tokens, tokens per second, positions of the cache
    long COUNT CONTEXT                                for a conversation of too many tokens
"""

import subprocess
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import IO, NamedTuple, cast

from s2s.chat.rendering import Conversation, Message, render
from s2s.chat.turns import message
from s2s.errors import InputError, ToolchainError
from s2s.types.language import ChatTemplate

SYSTEM, USER, ASSISTANT = "system", "user", "assistant"


class Answer(NamedTuple):
    """What became of a turn."""

    text: str
    dropped: int
    """The messages of the beginning that were dropped, for the conversation to fit into the cache."""
    read: int
    read_rate: float
    written: int
    written_rate: float
    """Tokens, and tokens per second."""
    place: int
    context: int
    """The positions of the cache that are taken, and all of them."""
    why: str
    """Why it ended: at a `token`, after the `most` tokens, as the cache was `full`, or `stopped` by the user."""


class Session:
    """A conversation with the program `command`, whose `label` names it in messages."""

    def __init__(
        self,
        command: Sequence[str | Path],
        template: ChatTemplate,
        label: str,
        system: str | None = None,
        *,
        drops_space: bool = False,
    ) -> None:
        """`drops_space` leaves the space out with which a SentencePiece model begins each answer."""
        self.template, self.label, self.drops_space = template, label, drops_space
        self.messages: list[Message] = [] if system is None else [message(template, SYSTEM, system)]
        self._program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, text: str, show: Callable[[bytes], None]) -> Answer:
        """Add a text of the user and show the answer piece by piece. A KeyboardInterrupt ends the answer; whoever gives
        the signal gives it to the program, too.

        Raises InputError where the template refuses the conversation, or the text alone is longer than the cache. The
        text is then no part of the conversation.
        """
        asked, dropped = [*self.messages, message(self.template, USER, text)], 0
        while True:
            words, pieces = self._exchange(self._rendered(asked), show)
            if words[0] == "end":
                break
            shorter = self._without_oldest(asked)
            if len(shorter) == len(asked):
                raise InputError(_too_long(self.label, words))
            dropped, asked = dropped + len(asked) - len(shorter), shorter
        answer = b"".join(pieces).decode(errors="replace")
        answer = answer.removeprefix(" ") if self.drops_space else answer
        self.messages = [*asked, message(self.template, ASSISTANT, answer)]
        read, read_rate, written, written_rate, place, context = map(float, words[1:7])
        return Answer(
            answer, dropped, int(read), read_rate, int(written), written_rate, int(place), int(context), words[7]
        )

    def close(self) -> None:
        """End the program."""
        if self._program.stdin is not None:
            self._program.stdin.close()
        self._program.wait()

    def _rendered(self, messages: Sequence[Message]) -> bytes:
        moment = datetime.now()
        (text,) = render(self.template.text, [Conversation(messages)], self.template.tokens, self.label, moment)
        return text.encode("utf-8", "replace")

    def _without_oldest(self, messages: list[Message]) -> list[Message]:
        """Leave the oldest turn of user and model out."""
        first = next(at for at, each in enumerate(messages) if each["role"] == USER)
        return messages if first == len(messages) - 1 else [*messages[:first], *messages[first + 2 :]]

    def _exchange(self, text: bytes, show: Callable[[bytes], None]) -> tuple[list[str], list[bytes]]:
        """Give the program a conversation; return the words of its last line, and the pieces before it."""
        to, source = cast("IO[bytes]", self._program.stdin), cast("IO[bytes]", self._program.stdout)
        try:
            to.write(b"%d\n%b" % (len(text), text))
            to.flush()
        except BrokenPipeError:
            raise self._ended() from None
        pieces: list[bytes] = []
        while True:
            line = _uninterrupted(source.readline)
            words = line.decode("ascii", "replace").split()
            if len(words) == 2 and words[0] == "piece":
                pieces.append(_uninterrupted(lambda size=int(words[1]): source.read(size)))
                show(pieces[-1])
            elif (len(words), *words[:1]) in ((8, "end"), (3, "long")):
                return words, pieces
            else:
                raise self._ended()

    def _ended(self) -> ToolchainError:
        return ToolchainError(
            f"{self.label}: the chat program ended (exit code {self._program.wait()}); what it says stands above"
        )


def _uninterrupted(read: Callable[[], bytes]) -> bytes:
    """Read on after a KeyboardInterrupt: the program has it as well, and ends its answer."""
    while True:
        try:
            return read()
        except KeyboardInterrupt:
            continue


def _too_long(label: str, words: Sequence[str]) -> str:
    count, context = words[1:]
    if count == "0":
        return f"{label}: the text is empty, or longer than the program takes; give another text"
    fact = f"the text takes {count} tokens, and the cache has {context} positions"
    return f"{label}: {fact}; shorten it, or compile with a larger --dim positions"
