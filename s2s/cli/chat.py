"""`s2s chat`: talk to a language model in the terminal."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click
from click.exceptions import Exit

from s2s.cli import options
from s2s.cli.command import command

if TYPE_CHECKING:
    from s2s.types.language import ChatTemplate


@command("chat")
@click.argument("tree", type=options.PATH, metavar="TREE", help="The folder that `s2s compile model.gguf` wrote.")
@click.option("--prompt", metavar="TEXT", help="Answer this text and end; by default what is typed is answered.")
@click.option("--system", metavar="TEXT", help="What the model is told before the conversation.")
@click.option("--plain", is_flag=True, help="Go on with the text as it is, without the marks of a conversation.")
@click.option("--tokens", type=click.IntRange(min=1), default=512, help="The most tokens of an answer.")
@click.option("--temperature", type=click.FloatRange(min=0), default=0.8, help="0: always the most likely token.")
@click.option("--top-k", type=click.IntRange(min=0), default=40, help="Draw from the most likely ones; 0: from all.")
@click.option("--top-p", type=click.FloatRange(0, 1), default=0.95, help="Draw from those of this share together.")
@click.option("--seed", type=click.IntRange(0, (1 << 32) - 1), default=0, help="The seed of the random numbers.")
def chat_command(
    tree: Path,
    prompt: str | None,
    system: str | None,
    plain: bool,
    tokens: int,
    temperature: float,
    top_k: int,
    top_p: float,
    seed: int,
) -> None:
    """Build the chat program of a language model's tree by its make, and run it: tokens appear one by one, then how
    many a second there were. A line that ends with a backslash goes on in the next one, Ctrl-C ends an answer, Ctrl-D
    the conversation.

    Example: s2s chat decoder --temperature 0.7
    """
    language = read_language(tree)
    program = built_program(tree, language)
    template = None if plain else read_template(tree, language)
    given: dict[str, object] = {
        "--plain": int(template is None),
        "--tokens": tokens,
        "--temperature": temperature,
        "--top-k": top_k,
        "--top-p": top_p,
        "--seed": seed,
    }
    if template is None:
        _go_on(program, given | {"--prompt": prompt, "--system": system})
        return
    from s2s.chat.session import Session
    from s2s.cli.conversation import talk

    drops_space = cast("Mapping[str, object]", language["tokenizer"]).get("words") == "none"
    command = [program, *_words(given | {"--hosted": 1})]
    session = Session(command, template, str(tree), system, drops_space=drops_space)
    try:
        talk(session, prompt)
    finally:
        session.close()


def _go_on(program: Path, given: Mapping[str, object]) -> None:
    """Let the program itself read and answer."""
    import os
    import subprocess

    done = subprocess.run([program, *_words(given)], check=False, env={**os.environ, "LC_ALL": "C"})
    if done.returncode:
        raise Exit(done.returncode)


def _words(given: Mapping[str, object]) -> list[str]:
    return [str(word) for option in given.items() if option[1] is not None for word in option]


def read_language(tree: Path) -> Mapping[str, object]:
    """Return the record of a tree's language model, or of its first network that is one."""
    from s2s.emit.files import RECORD
    from s2s.errors import InputError

    if tree.is_file():
        raise InputError(f"{tree}: is a file, not a tree; compile it first: s2s compile {tree} -o {tree.stem}")
    try:
        record = json.loads((tree / RECORD).read_text(encoding="utf-8"))
        networks = [record, *record.get("networks", {}).values()]
        found = next((each["language"] for each in networks if each.get("language")), None)
        return cast("dict[str, object]", dict(found or {}))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        way_out = f"compile a model first: s2s compile model.gguf -o {tree}"
        raise InputError(f"{tree}: is no tree of s2s; {way_out}") from None


def read_template(tree: Path, language: Mapping[str, object]) -> "ChatTemplate | None":
    """Return the chat template in the record of a tree; None if its model has none."""
    from s2s.types.language import ChatTemplate

    tokenizer = language.get("tokenizer")
    record = cast("Mapping[str, object]", tokenizer).get("template") if isinstance(tokenizer, dict) else None
    if not isinstance(record, dict):
        return None
    fields = cast("dict[str, object]", record)
    tokens = fields.get("tokens")
    texts = cast("dict[str, str]", tokens if isinstance(tokens, dict) else {})
    return ChatTemplate(str(fields.get("text")), texts, fields.get("in_parts") is True)


def built_program(tree: Path, language: Mapping[str, object]) -> Path:
    """Build the chat program of a tree."""
    from s2s.cli.output import steps_shown
    from s2s.errors import InputError
    from s2s.support import progress
    from s2s.verify.toolchain import run_program

    programs = sorted((tree / "chat").glob("*_chat.c"))
    if len(programs) != 1:
        reason = language.get("tokenizer", "it was not compiled from a GGUF file")
        raise InputError(f"{tree}: has no tokeniser ({reason}); compile a GGUF file that has one, with executor aot")
    with steps_shown():
        progress.step("compiling the C")
        run_program(["make", "-s", "-C", tree.absolute(), "BUILD=build", "chat"])
    host, own = (tree.absolute() / "build" / folder / programs[0].stem for folder in ("host/chat", "chat"))
    return host if host.is_file() else own
