"""Proof of a tree: its run function and its model executed on the same atoms, and compared kernel by kernel.

The run function is executed as it stands in the tree, arena and all: a result that the plan overwrites too early, or
that a kernel writes to a wrong place, is not what the next kernel should read, and shows as a difference. At last the
outputs are compared; where they are equal, they are so for every input.
"""

from __future__ import annotations

import re
import struct
from hashlib import sha256
from pathlib import Path

from pycparser.c_parser import ParseError

from s2s.errors import InputError
from s2s.prove.atoms import Atoms
from s2s.prove.certificate import PROVED, TESTED, WRONG, Kernel, Proof
from s2s.prove.ctypes import F32, I8, U8
from s2s.prove.faults import Fault, Unprovable
from s2s.prove.program import program_of
from s2s.prove.prover import Prover
from s2s.prove.reference.model import Model, read_model
from s2s.prove.reference.onnx_file import read_onnx
from s2s.prove.reference.qdq import execute_onnx
from s2s.prove.reference.tflite import execute
from s2s.prove.residues import Residues
from s2s.prove.source import parse_tree
from s2s.prove.tree import Tree, digest, read_tree

COMMENT = r"/\*\s*\[(?P<shape>[\d\]\[]*)\]\s*(?P<node>(?:(?!\*/).)*?)\s*\*/"
CALLS = (
    re.compile(rf"^\s*{COMMENT}\s*(?P<function>\w+)\(", re.DOTALL | re.MULTILINE),
    re.compile(rf"^\s*(?P<function>\w+)\([^;{{}}]*\);[ ]*{COMMENT}", re.DOTALL | re.MULTILINE),
)
"""A call of a kernel with its comment, which stands above it or behind it."""
CONTINUED = re.compile(r"\n\s*\*\s")
"""The start of a further line of a comment."""
MAX_EXACT = 1 << 26
"""Products of a network up to which each coefficient is compared; beyond, residues stand for long sums."""
DTYPES = {"i8": I8, "u8": U8, "f32": F32}
"""Types of inputs and outputs by their name in metadata.json."""
DAMAGE = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError, struct.error)
"""What a damaged model raises while it is read."""


def prove_tree(model_path: Path, folder: Path) -> Proof:
    """Prove that a tree computes what a model of TFLite or ONNX (QDQ) says.

    Raises InputError where one of the two cannot be read, or where the tree is of a model with other inputs or outputs.
    """
    tree = read_tree(folder)
    proof = Proof(digest(model_path), tree.digests())
    calls = _calls(folder / "src" / f"{tree.name}.c")
    proof.kernels = [Kernel(function, node, shape) for function, node, shape in calls]
    try:
        _prove(proof, tree, model_path)
    except Fault as fault:
        proof.outputs, proof.reason = WRONG, str(fault)
    except Unprovable as limit:
        proof.outputs, proof.reason = TESTED, str(limit)
    except RecursionError:
        proof.outputs, proof.reason = TESTED, "the C recurses, or nests too deeply"
    _fill_reasons(proof)
    return proof


def _fill_reasons(proof: Proof) -> None:
    """Say of kernels that were not reached why."""
    for kernel in proof.kernels:
        if kernel.status == TESTED and not kernel.reason:
            kernel.reason = proof.reason or "not reached"


def _prove(proof: Proof, tree: Tree, model_path: Path) -> None:
    """Prove what can be; set the outputs' status where all is."""
    if not tree.ahead_of_time or tree.has_state:
        msg = "only networks without state that run ahead of time (executor aot)"
        raise Unprovable(msg)
    if any(port.dtype not in DTYPES for port in (*tree.inputs, *tree.outputs)):
        msg = "inputs or outputs are neither int8, uint8 nor floats of 32 bits"
        raise Unprovable(msg)
    model = _model(model_path)
    _check_ports(tree, model, model_path)
    tree.check()
    try:
        program = program_of(parse_tree(tree.folder, tree.sources))
    except ParseError as error:
        msg = f"the C is not understood: {error}"
        raise Unprovable(msg) from error
    seed = int.from_bytes(sha256("".join((proof.model, *proof.tree.values())).encode()).digest())
    atoms = Atoms(residues=Residues(seed), by_residues=model.products > MAX_EXACT)
    (execute if model.format == "tflite" else execute_onnx)(model, atoms)
    prover = Prover(program, atoms, model, proof.kernels)
    try:
        prover.run(tree)
    finally:
        proof.atoms, proof.functions = atoms.count - 1, len(atoms.tables)
        accesses = prover.memory.accesses
        proof.residues = {"forms": atoms.residues.forms, "error bits": atoms.residues.error_bits} if atoms.held else {}
        proof.arena = {"size": tree.arena, "accesses": [] if accesses is None else accesses.kernels}
        executed = sorted(name for name in prover.called if name.startswith("s2s_"))
        proof.runtime = {"executed": executed, "by meaning": sorted(prover.by_meaning)}
    if all(kernel.status == PROVED for kernel in proof.kernels):
        proof.outputs = PROVED
    else:
        proof.reason = "not every kernel is proved"


def _check_ports(tree: Tree, model: Model, model_path: Path) -> None:
    """Raise InputError where the tree's inputs and outputs are not the model's, Unprovable where these are not int8."""
    for ports, tensors, what in ((tree.inputs, model.inputs, "inputs"), (tree.outputs, model.outputs, "outputs")):
        sizes = [(DTYPES[port.dtype], port.size) for port in ports]
        if sizes != [(tensor.ctype, tensor.size * tensor.ctype.size) for tensor in tensors] or not ports:
            raise InputError(
                f"{tree.folder}: its {what} are not those of {model_path}; give the model that it was compiled from"
            )


def _model(path: Path) -> Model:
    """The model; Unprovable if it is in another format, InputError if it is none."""
    is_tflite = path.read_bytes()[4:8] == b"TFL3"
    try:
        return read_model(path) if is_tflite else read_onnx(path)
    except DAMAGE as error:
        raise InputError(
            f"{path}: is not a TFLite or ONNX model that can be read: {error}; give the file that was compiled"
        ) from error


def _calls(file: Path) -> list[tuple[str, str, tuple[int, ...]]]:
    """Function, node and shape of each kernel that the run function calls, from its comments."""
    text = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
    matches = sorted((match for call in CALLS for match in call.finditer(text)), key=lambda match: match.start("shape"))
    return [
        (
            match["function"],
            " ".join(CONTINUED.sub(" ", match["node"]).split()),
            tuple(int(size) for size in match["shape"].split("][") if size),
        )
        for match in matches
    ]


__all__ = ["PROVED", "TESTED", "WRONG", "Proof", "prove_tree"]
