"""`s2s reduce`: shrink a model that fails, to what a report of a fault needs."""

import shlex
import subprocess
import tempfile
import time as clock
from pathlib import Path
from typing import TYPE_CHECKING

import click

from s2s.cli import options
from s2s.cli.command import command
from s2s.errors import InputError

if TYPE_CHECKING:
    from s2s.fuzz.shrinking import Shrinkable

PLACE = "{}"
"""Where the check names the model."""


@command("reduce")
@click.argument("model", type=options.PATH, metavar="MODEL", help="An ONNX, TFLite or .pt2 model that fails the check.")
@click.option(
    "--check",
    required=True,
    metavar="COMMAND",
    help="A command that fails for the model, in the place of {}; what is kept ends with the same exit code.",
)
@click.option("--says", metavar="TEXT", help="What the command has to print as well, so that no other failure is kept.")
@click.option("--output", "-o", type=options.PATH, required=True, metavar="FILE", help="The smaller model.")
@click.option("--timeout", type=float, default=120.0, metavar="SECONDS", help="The most that one check may take.")
def reduce_command(model: Path, check: str, says: str | None, output: Path, timeout: float) -> None:
    """Cut nodes off a failing ONNX, TFLite or PyTorch model as long as a command fails for it in the same way.

    Example: s2s reduce model.onnx --check "s2s verify {} --target c" -o small.onnx
    """
    from s2s.cli.output import steps_shown
    from s2s.frontends.recognition import check_suffix, format_of
    from s2s.support import progress

    before = _read(model)
    check_suffix(output, format_of(model))
    with tempfile.TemporaryDirectory(prefix="s2s-reduce-") as folder:
        place = Path(folder) / f"model{before.suffix}"
        first = _run(check, model.resolve(), timeout)
        if first.returncode == 0:
            raise InputError(f"--check: ends with 0 for {model}; give a command that fails for it")
        if says is not None and says not in first.stdout:
            raise InputError(f"--says {says}: is not in what the command prints for {model}; give words of its own")
        started, tried = clock.monotonic(), 0

        def fails(candidate: "Shrinkable") -> bool:
            nonlocal tried
            tried += 1
            progress.step(f"{len(candidate.nodes)} nodes, check {tried}, {clock.monotonic() - started:.0f} s")
            place.write_bytes(candidate.serialised())
            done = _run(check, place, timeout)
            return done.returncode == first.returncode and (says is None or says in done.stdout)

        from s2s.fuzz.shrinking import shrink

        with steps_shown():
            after = shrink(before, fails)
    _write(output, after)
    print(f"{output}: {len(after.nodes)} of {len(before.nodes)} nodes: {_operators(after)}")


def _run(check: str, model: Path, timeout: float) -> "subprocess.CompletedProcess[str]":
    """Run the check on a model; one that takes longer counts as a failure of a kind of its own."""
    words = [word.replace(PLACE, str(model)) for word in shlex.split(check)]
    if PLACE not in check:
        words.append(str(model))
    try:
        return subprocess.run(
            words,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, -1, "", "")
    except OSError as error:
        raise InputError(f"--check: {words[0]} cannot be run ({error.strerror}); name a program") from error


def _read(model: Path) -> "Shrinkable":
    """Read the model as it is: it may be one that the frontend refuses."""
    from s2s.frontends.recognition import format_of

    if not model.is_file():
        raise InputError(f"{model}: there is no such file; give a model")
    match format_of(model):
        case "ONNX":
            from s2s.fuzz.shrinking.onnx import OnnxParts

            return OnnxParts.read(model)
        case "TFLite":
            from s2s.fuzz.shrinking.tflite import TfliteParts

            return TfliteParts.read(model)
        case "PyTorch":
            from s2s.fuzz.shrinking.torch import TorchParts

            return TorchParts.read(model)
        case other:
            raise InputError(f"{model}: models of {other} are not shrunk; export the network as ONNX")


def _write(output: Path, model: "Shrinkable") -> None:
    try:
        output.write_bytes(model.serialised())
    except OSError as error:
        raise InputError(f"--output {output}: cannot be written ({error.strerror}); choose another file") from error


def _operators(model: "Shrinkable") -> str:
    names = [node.operator for node in model.nodes]
    return ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
