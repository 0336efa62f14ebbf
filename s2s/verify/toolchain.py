"""Find and run external programs, with clear messages when that fails."""

import os
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from s2s.errors import ToolchainError


def default_compiler() -> tuple[str, ...]:
    """Return the command of the C compiler: `CC` of the environment, else the first that is installed."""
    if words := shlex.split(os.environ.get("CC", "")):
        return (find_program(words[0]), *words[1:])
    for name in ("cc", "gcc", "clang"):
        if path := shutil.which(name):
            return (path,)
    raise ToolchainError("cc: no C compiler is installed; install gcc (Debian: apt-get install gcc) or set CC to one")


def find_program(name: str) -> str:
    """The path of an installed program."""
    if path := shutil.which(name):
        return path
    raise ToolchainError(f"{name}: there is no such program on PATH; install it, or set CC to another C compiler")


def missing_programs(names: Sequence[str]) -> list[str]:
    """The programs of `names` that are not installed."""
    return [name for name in names if shutil.which(name) is None]


def run_program(command: Sequence[str | Path], cwd: Path | None = None) -> str:
    """Run a command in English and return its standard output."""
    environment = {**os.environ, "LC_ALL": "C"}
    try:
        done = subprocess.run(
            [str(word) for word in command],
            cwd=cwd,
            env=environment,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
    except OSError as error:
        raise ToolchainError(f"{command[0]}: cannot be started: {error.strerror}; is it installed for you?") from error
    if done.returncode:
        output = (done.stderr or done.stdout).strip()
        line = shlex.join(str(word) for word in command)
        raise ToolchainError(
            f"{command[0]}: failed with exit code {done.returncode}; run it to see more: {line}\n{output}"
        )
    return done.stdout


@cache
def compiler_version(compiler: tuple[str, ...]) -> str:
    """Family and version of a C compiler: `gcc 12.2.0`, `clang 14.0.6`; its first line of text for any other."""
    text = run_program([*compiler, "--version"])
    first = text.partition("\n")[0].strip()
    number = next((word for word in first.split() if word[:1].isdigit() and "." in word), "")
    if "clang" in first:
        return f"clang {number.partition('-')[0]}"
    if "Free Software Foundation" in text:
        return f"gcc {run_program([*compiler, '-dumpfullversion']).strip()}"
    return first


def is_gcc(compiler: tuple[str, ...]) -> bool:
    """Whether a C compiler is GNU's, under whatever name."""
    return compiler_version(compiler).startswith("gcc ")


@cache
def sibling_program(compiler: tuple[str, ...], name: str) -> str:
    """Return the tool `name` of a compiler's toolchain: a cross compiler has its own `objdump`."""
    return find_program(run_program([*compiler, f"-print-prog-name={name}"]).strip())


def accepted_flags(compiler: tuple[str, ...], flags: Sequence[str]) -> tuple[str, ...]:
    """Return the ones of `flags` that a compiler accepts: all, or each one together with the accepted ones before it.

    Some flags work only together: an ABI needs a processor that supports it.
    """
    accepted: tuple[str, ...] = ()
    if accepts_flags((*compiler, *flags)):
        return tuple(flags)
    for flag in flags:
        if accepts_flags((*compiler, *accepted, flag)):
            accepted = (*accepted, flag)
    return accepted


@cache
def accepts_flags(command: tuple[str, ...]) -> bool:
    """Whether a compiler takes the flags behind it in `command`; some only warn about flags they do not know.

    Asked by preprocessing nothing: no file is written, and a compiler cache has nothing to keep.
    """
    try:
        run_program([*command, "-Werror", "-x", "c", "-E", os.devnull])
    except ToolchainError:
        return False
    return True
