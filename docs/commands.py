"""Run the commands of the pages, and fill in what they print.

    python -m docs.commands          (or: make docs)
    python -m docs.commands PAGE     run one page in the current folder, and print it with what its commands print now

Blocks of shell (```sh) are run line by line in the order of the page, in a folder that holds the networks of the
examples; blocks with a title are written to files of that name. A block of text (```text) right behind one of shell
holds what it prints. Blocks of other languages, and those of installation (```console), are left alone. A test runs
all pages, so what they show stays true.
"""

import contextlib
import io
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from s2s import api
from s2s.cli.main import run

ROOT = Path(__file__).parents[1]
FOLDERS = ("start", "tutorials", "explanation")
"""The pages whose blocks are run."""
EXAMPLES = ("digits/digits.onnx", "digits/calibration.npz", "digits/held_out.npz", "keywords/keywords.py")
BLOCK = re.compile(
    r"^```(?P<language>\w+)(?: title=\"(?P<title>[\w./-]+)\")?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
SHOWN = re.compile(r"\n\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
"""The block of text behind a block of shell."""
KEY = re.compile(r"\b[0-9a-f]{16}\b")
"""The key of a task, which changes with the compiler."""
EXTRAS = re.compile(r"pip install '?\.\[([\w,]+)\]")
"""The extras that a page installs."""
OURS = re.compile(r"s2s (?P<arguments>[^|<>&;`$]*)(?P<operator>\|\||\||>)?(?P<rest>.*)", re.DOTALL)
"""A command of s2s, and what becomes of its output."""


class Block(NamedTuple):
    """A block of a page."""

    language: str
    title: str | None
    text: str


def pages() -> list[Path]:
    """Return the pages whose blocks are run."""
    return sorted(page for folder in FOLDERS for page in (ROOT / "docs" / folder).glob("*.md"))


def extras_of(page: Path) -> frozenset[str]:
    """The extras of s2s that a page installs; a page without an installation takes the extras of `start/host.md`."""
    asked = EXTRAS.search(page.read_text()) or EXTRAS.search((ROOT / "docs" / "start" / "host.md").read_text())
    return frozenset() if asked is None else frozenset(asked[1].split(","))


def blocks(text: str) -> Iterator[Block]:
    """Return the blocks of a page in order."""
    for found in BLOCK.finditer(text):
        yield Block(found["language"], found["title"], found["text"])


def prepare(folder: Path) -> None:
    """Put the networks of the examples into a folder: digits, and keywords in floats and in integers."""
    for name in EXAMPLES:
        shutil.copy(ROOT / "examples" / name, folder)
    main = runpy.run_path(str(folder / "keywords.py"))["main"]
    with contextlib.redirect_stdout(io.StringIO()):
        main([str(folder)])
    api.quantize(folder / "keywords.onnx", folder / "samples.npz", ports="int8").save(folder / "keywords_int8.onnx")


def run_page(text: str, folder: Path) -> str:
    """Run the blocks of a page in a folder, and return the page with what they print."""
    rest = text
    made: list[str] = []
    while (found := BLOCK.search(rest)) is not None:
        end = found.end()
        if found["title"] is not None:
            (folder / found["title"]).write_text(found["text"])
        elif found["language"] == "sh":
            printed = KEY.sub("…", run_block(found["text"], folder))
            if (shown := SHOWN.match(rest[end:])) is not None:
                made.append(f"{rest[:end]}\n\n```text\n{printed.strip()}\n```")
                rest = rest[end + shown.end() :]
                continue
        made.append(rest[:end])
        rest = rest[end:]
    return "".join([*made, rest])


def run_block(text: str, folder: Path) -> str:
    """Run the lines of a block of shell, and return what they print; an `AssertionError` if one fails."""
    lines = text.replace("\\\n", " ").splitlines()
    return "".join(run_line(line, folder) for line in lines if line.strip())


def run_line(line: str, folder: Path) -> str:
    """Run a line of shell: a command of s2s in this process, everything else by bash."""
    ours = OURS.fullmatch(line.partition("  #")[0].strip())
    if ours is None:
        return in_bash(line, folder)
    printed, said, code = in_process(shlex.split(ours["arguments"]), folder)
    match ours["operator"]:
        case "||" if code != 0:
            return printed + in_bash(ours["rest"], folder)
        case "|":
            return in_bash(ours["rest"], folder, printed)
        case ">":
            return in_bash(f"cat > {ours['rest']}", folder, printed)
        case _:
            assert code == 0, f"{line}\n{printed}{said}"
            return printed


def in_process(arguments: list[str], folder: Path) -> tuple[str, str, int]:
    """Run a command of s2s; return what it prints, its messages and its exit code."""
    output, errors = io.StringIO(), io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        code = run(arguments)
    return output.getvalue(), errors.getvalue(), code


def in_bash(line: str, folder: Path, given: str = "") -> str:
    """Run a line of shell by bash, with the interpreter and the compiler that run here."""
    found = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": found, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["bash", "-ec", line], cwd=folder, env=environment, input=given, capture_output=True, text=True
    )
    assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
    return done.stdout


def main(arguments: list[str]) -> None:
    """Write the pages again, with what their commands print now; of one page, print it."""
    if arguments:
        sys.stdout.write(run_page(Path(arguments[0]).read_text(), Path.cwd()))
        return
    with tempfile.TemporaryDirectory(prefix="s2s-docs-") as prepared:
        prepare(Path(prepared))
        for page in pages():
            text = page.read_text()
            if "\n```text\n" not in text:
                continue
            with tempfile.TemporaryDirectory(prefix="s2s-docs-") as folder:
                shutil.copytree(prepared, folder, dirs_exist_ok=True)
                page.write_text(run_page(text, Path(folder)))


if __name__ == "__main__":
    main(sys.argv[1:])
