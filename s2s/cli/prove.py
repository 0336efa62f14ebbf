"""`s2s prove`: prove that the C of a network computes what its model says, for every input."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click
from click.exceptions import Exit

from s2s.cli import options
from s2s.cli.command import command
from s2s.cli.options import Options, with_compile_options
from s2s.errors import InputError

if TYPE_CHECKING:
    from s2s.prove.proof import Proof

WRONG, UNDECIDED = 1, 3


@command("prove")
@options.model
@with_compile_options
@click.option("--tree", type=options.PATH, metavar="DIR", help="A tree of this model that is there; else one is made.")
@click.option("--output", "-o", type=options.PATH, metavar="FILE", help="Write the certificate, such as proof.json.")
@click.option("--check", type=options.PATH, metavar="FILE", help="Prove again, and compare with a certificate.")
@options.as_json
def prove_command(
    model: Path, compiling: Options, tree: Path | None, output: Path | None, check: Path | None, as_json: bool
) -> None:
    """Prove that the C of an int8 network of TFLite or ONNX (QDQ) computes what the model says, for every input.

    Each kernel is proved, wrong, or tested only, with the reason. Exits with 1 if something is wrong, and with 3 if not
    all is proved.

    Example: s2s prove kws.tflite --target cortex-m4 -o proof.json

    Example: s2s prove kws.tflite --tree kws --check proof.json
    """
    import json

    from s2s.cli.output import print_fields, print_json, steps_shown
    from s2s.support.files import write_file

    certificate = None if check is None else _read(check)
    with steps_shown():
        proof = _of_tree(model, tree) if tree is not None else _of_model(model, compiling)
    if output is not None:
        write_file(output, proof.to_json())
    if as_json:
        print_json(json.loads(proof.to_json()))
    else:
        print_fields(_in_words(proof))
    if certificate is not None and certificate != proof.to_json():
        raise InputError(f"{check}: is not the certificate of this proof; write that one with --output")
    if not proof.complete:
        raise Exit(WRONG if proof.wrong else UNDECIDED)


def _of_tree(model: Path, tree: Path) -> "Proof":
    """The proof of a tree that is there."""
    from s2s.prove.proof import prove_tree

    return prove_tree(model, tree)


def _of_model(model: Path, compiling: Options) -> "Proof":
    """The proof of the tree that the model compiles to."""
    from s2s.artifact import compile_artifact

    with TemporaryDirectory() as folder:
        return _of_tree(model, compile_artifact(model, compiling("host")).write(Path(folder) / "tree"))


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}; give the certificate that --output wrote") from error


def _in_words(proof: "Proof") -> dict[str, str]:
    """The proof as lines: each kernel with the calls of it, and the network."""
    lines: dict[str, str] = {}
    for kernel in proof.kernels:
        found = f"{kernel.status}: {kernel.reason}" if kernel.reason else kernel.status
        lines[f"{kernel.function} ({kernel.node})"] = found
    lines["outputs"] = f"{proof.outputs}: {proof.reason}" if proof.reason else f"{proof.outputs} for every input"
    return lines
