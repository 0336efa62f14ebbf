"""Hold a conversation in the terminal: read turns and show answers until Ctrl-D."""

import sys
from collections.abc import Callable

from s2s.chat.session import Answer, Session
from s2s.errors import InputError

PROMPT = "> "


def talk(session: Session, prompt: str | None) -> None:
    """Answer `prompt` and end, or answer what is typed until it ends."""
    if prompt is not None:
        _tell(session.ask(prompt, _show))
        return
    while (text := read_text(input)) is not None:
        if not text.strip():
            continue
        try:
            _tell(session.ask(text, _show))
        except InputError as error:
            print(f"s2s: error: {error}", file=sys.stderr)


def read_text(read: Callable[[], str]) -> str | None:
    """Read a line, and the next lines while the last one ends with a backslash; None at the end of the input. Ctrl-C
    forgets what was typed."""
    lines: list[str] = []
    while True:
        try:
            sys.stderr.write(PROMPT if not lines else "  ")
            sys.stderr.flush()
            line = read()
        except EOFError:
            return "\n".join(lines) if lines else None
        except KeyboardInterrupt:
            sys.stderr.write("\n[Ctrl-D ends the conversation]\n")
            lines = []
            continue
        if not line.endswith("\\"):
            return "\n".join([*lines, line])
        lines.append(line[:-1])


def _show(piece: bytes) -> None:
    sys.stdout.buffer.write(piece)
    sys.stdout.flush()


def _tell(answer: Answer) -> None:
    print(flush=True)
    notes = [
        f"read {answer.read} tokens, {answer.read_rate:.1f}/s",
        f"wrote {answer.written}, {answer.written_rate:.1f}/s",
        f"{answer.place} of {answer.context} positions",
    ]
    if answer.dropped:
        notes.append(f"the oldest {answer.dropped} messages were dropped to make room")
    if answer.why == "full":
        notes.append("the answer ends where the cache does")
    if answer.why == "stopped":
        notes.append("ended by you")
    print(f"[{'; '.join(notes)}]", file=sys.stderr)
