"""Runs the `// RUN:` lines of an `.mlir` file inside this process.

The format is lit's: a pipe of `s2s-opt` and `filecheck`, `%s` for the file and `%S` for its folder, a trailing
backslash to go on in the next RUN line. Starting a process for each of hundreds of files would cost minutes; here a
file costs milliseconds.
"""

import contextlib
import io
import re
import shlex
import sys
import traceback
from collections.abc import Callable, Generator, Sequence
from pathlib import Path

from filecheck.main import main as filecheck_main

from s2s.cli.opt import OptMain

RUN_LINE = re.compile(r"^\s*//\s*RUN:\s*(.*?)\s*$", re.MULTILINE)
PROCESS_WIDE = ("--disable-verify", "--syntax-highlight")
"""Options by which xDSL changes the process it runs in, and so the tests that come after."""


class RunLineError(Exception):
    """A RUN line did not do what the file says; the message shows the command and its output."""


def run_lines(text: str) -> list[str]:
    """The commands of all RUN lines, continued lines joined."""
    commands: list[str] = []
    open_line = ""
    for match in RUN_LINE.finditer(text):
        open_line += match[1]
        if open_line.endswith("\\"):
            open_line = open_line[:-1]
            continue
        commands.append(open_line)
        open_line = ""
    if open_line:
        raise RunLineError(f"the last RUN line ends in a backslash: {open_line}")
    return commands


def stages(command: str, file: Path) -> list[list[str]]:
    """The argument vectors of a pipe, with `%s` and `%S` replaced."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars="|")
    lexer.whitespace_split = True
    lexer.commenters = ""
    found: list[list[str]] = [[]]
    for word in lexer:
        if word == "|":
            found.append([])
        else:
            found[-1].append(word.replace("%s", str(file)).replace("%S", str(file.parent)))
    return found


def run_command(command: str, file: Path) -> None:
    """Run one pipe; raise `RunLineError` when a stage fails."""
    text = ""
    for program, *args in stages(command, file):
        if program not in PROGRAMS:
            raise RunLineError(f"{program!r} is none of {', '.join(PROGRAMS)}: {command}")
        with _piped(text) as (out, err):
            try:
                PROGRAMS[program](args)
                failed = False
            except SystemExit as stop:
                failed = bool(stop.code)
            except Exception as error:
                err.write("".join(traceback.format_exception(error, limit=-3)))
                failed = True
        text, messages = out.getvalue(), err.getvalue()
        if failed:
            shown = " ".join([program, *args]).replace(str(file), file.name)
            raise RunLineError(f"{shown}\nin: {command}\n{messages}{text}".rstrip())


def _s2s_opt(args: Sequence[str]) -> None:
    refused = [arg for arg in args if arg in PROCESS_WIDE]
    if refused:
        raise RunLineError(f"{refused[0]} would change the other tests of this process")
    OptMain(args).run()


def _filecheck(args: Sequence[str]) -> None:
    filecheck_main(["filecheck", *args])


PROGRAMS: dict[str, Callable[[Sequence[str]], None]] = {"s2s-opt": _s2s_opt, "filecheck": _filecheck}


@contextlib.contextmanager
def _piped(text: str) -> Generator[tuple[io.StringIO, io.StringIO]]:
    """Standard input from `text`; standard output and error into the two strings given."""
    out, err = io.StringIO(), io.StringIO()
    stdin, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(text.encode()))
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            yield out, err
    finally:
        sys.stdin = stdin
