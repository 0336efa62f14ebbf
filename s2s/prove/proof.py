"""Proof of a tree: its run function and its model executed on the same atoms, and compared kernel by kernel.

The run function is executed as it stands in the tree, arena and all: a result that the plan overwrites too early, or
that a kernel writes to a wrong place, is not what the next kernel should read, and shows as a difference. At last the
outputs are compared; where they are equal, they are so for every input.
"""

from __future__ import annotations

import json
import re
import struct
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from pycparser.c_parser import ParseError

from s2s.errors import InputError
from s2s.prove.atoms import Atoms
from s2s.prove.certificate import PROVED, TESTED, WRONG, Kernel, Proof
from s2s.prove.faults import Fault, Unprovable
from s2s.prove.program import program_of
from s2s.prove.prover import Prover
from s2s.prove.reference.model import Model, read_model
from s2s.prove.reference.tflite import execute
from s2s.prove.source import parse_tree

COMMENT = r"/\*\s*\[(?P<shape>[\d\]\[]*)\]\s*(?P<node>(?:(?!\*/).)*?)\s*\*/"
CALLS = (
    re.compile(rf"^\s*{COMMENT}\s*(?P<function>\w+)\(", re.DOTALL | re.MULTILINE),
    re.compile(rf"^\s*(?P<function>\w+)\([^;{{}}]*\);[ ]*{COMMENT}", re.DOTALL | re.MULTILINE),
)
"""A call of a kernel with its comment, which stands above it or behind it."""
DAMAGE = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError, struct.error)
"""What a damaged model raises while it is read."""


def prove_tree(model_path: Path, tree: Path) -> Proof:
    """Prove that a tree computes what a TFLite model says.

    Raises InputError where one of the two cannot be read.
    """
    metadata = _metadata(tree)
    files = [file for file in metadata["files"] if file.endswith((".c", ".h")) and not file.startswith("test/")]
    proof = Proof(_digest(model_path), {file: _digest(tree / file) for file in files})
    calls = _calls(tree / "src" / f"{metadata['name']}.c")
    proof.kernels = [Kernel(function, node, count) for function, node, count in calls]
    try:
        _prove(proof, metadata, model_path, tree, [file for file in files if file.endswith(".c")])
    except Fault as fault:
        proof.outputs, proof.reason = WRONG, str(fault)
    except Unprovable as limit:
        proof.outputs, proof.reason = TESTED, str(limit)
    _fill_reasons(proof)
    return proof


def _fill_reasons(proof: Proof) -> None:
    """Say of kernels that were not reached why."""
    for kernel in proof.kernels:
        if kernel.status == TESTED and not kernel.reason:
            kernel.reason = proof.reason or "not reached"


def _prove(proof: Proof, metadata: dict[str, Any], model_path: Path, tree: Path, files: list[str]) -> None:
    """Prove what can be; set the outputs' status where all is."""
    if metadata["executor"] != "aot" or metadata["state"]:
        msg = "only networks without state that run ahead of time (executor aot)"
        raise Unprovable(msg)
    if any(port["dtype"] != "i8" for port in (*metadata["inputs"], *metadata["outputs"])):
        msg = "inputs or outputs are not int8"
        raise Unprovable(msg)
    try:
        program = program_of(parse_tree(tree, files))
    except ParseError as error:
        msg = f"the C is not understood: {error}"
        raise Unprovable(msg) from error
    atoms = Atoms()
    model = _model(model_path)
    execute(model, atoms)
    prover = Prover(program, atoms, model, proof.kernels)
    try:
        prover.run(metadata)
    finally:
        proof.atoms, proof.functions = atoms.count - 1, len(atoms.tables)
    if all(kernel.status == PROVED for kernel in proof.kernels):
        proof.outputs = PROVED
    else:
        proof.reason = "not every kernel is proved"


def _model(path: Path) -> Model:
    """The model; Unprovable if it is in another format, InputError if it is none."""
    if path.read_bytes()[4:8] != b"TFL3":
        msg = "the reference reads TFLite files only"
        raise Unprovable(msg)
    try:
        return read_model(path)
    except DAMAGE as error:
        raise InputError(
            f"{path}: is not a TFLite model that can be read: {error}; give the file that was compiled"
        ) from error


def _calls(file: Path) -> list[tuple[str, str, int]]:
    """Function, node and elements of each kernel that the run function calls, from its comments."""
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    matches = sorted((match for call in CALLS for match in call.finditer(text)), key=lambda match: match.start("shape"))
    return [
        (
            match["function"],
            " ".join(match["node"].split()),
            int(np.prod([int(size) for size in match["shape"].split("][") if size] or [1])),
        )
        for match in matches
    ]


def _digest(path: Path) -> str:
    try:
        return sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise InputError(
            f"{path}: cannot be read: {error.strerror}; give the model and a tree that s2s compile wrote"
        ) from error


def _metadata(tree: Path) -> dict[str, Any]:
    path = tree / "metadata.json"
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: is not the metadata of a tree; give a directory that s2s compile wrote") from error


__all__ = ["PROVED", "TESTED", "WRONG", "Proof", "prove_tree"]
