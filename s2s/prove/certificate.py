"""The certificate of a proof: the state of each kernel of a tree, with the digests of the files that were read."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from math import prod
from typing import Any

SCHEMA = 4
PROVED, WRONG, TESTED = "proved", "wrong", "tested only"
METHOD = "symbolic execution of the printed C on linear forms and exact tables, compared with the model's operators"
TRUSTED = (
    "the C compiler, and its arithmetic right shift of negative numbers and conversion to signed types modulo 2^bits",
    "target-specific forms that #if chooses (inline assembly, intrinsics): the proof reads the portable C99 forms",
    "that pointers declared restrict do not meet: the proof reads and writes memory in the order of the C",
    "that the arena, inputs and outputs are different objects, aligned as the header asks, and size_t holds 32 bits",
    "that memory may be accessed with another type than its object's, and unused addresses and results are harmless",
    "that members of structures lie at multiples of the size of their numbers, without other gaps",
    "that the assembler takes arrays from `.c.bin` files as the lines S2S_TAKE say, little-endian",
    "this prover, numpy, pycparser, and the C preprocessor `cc -E`",
    "digests of 192 bits (blake2b) of linear forms and tables, taken to differ where these do",
    "that residues of long sums, drawn from the digests of model and tree, are as random (see `residues`)",
    "functions of the runtime listed as `by meaning`: their portable forms were compared with it",
    "floats: IEEE 754 in 32 bits, rounded to nearest, evaluated in their type (FLT_EVAL_METHOD 0, -ffp-contract=off)",
    "that inputs which are floats hold no NaN",
)
"""What a proof assumes."""


@dataclass
class Kernel:
    """A call of a kernel and what was found of it."""

    function: str
    node: str
    shape: tuple[int, ...]
    """Of its result in memory, as the comment at its call has it."""
    status: str = TESTED
    reason: str = ""

    @property
    def count(self) -> int:
        """Elements of its result."""
        return prod(self.shape)


@dataclass
class Proof:
    """What was proved of a tree."""

    model: str
    """SHA-256 of the model file."""
    tree: dict[str, str]
    """SHA-256 of each file that was read."""
    kernels: list[Kernel] = field(default_factory=list[Kernel])
    outputs: str = TESTED
    """Whether the network's outputs are proved."""
    reason: str = ""
    runtime: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """Functions of the runtime that kernels call: executed ones, and ones that are taken by their meaning."""
    arena: dict[str, Any] = field(default_factory=dict[str, Any])
    """Its size, and the bytes that each kernel reads, with the kernel that left them, and writes."""
    residues: dict[str, int] = field(default_factory=dict[str, int])
    """Where residues stand for long sums, how many were compared, and k of the probability 2^-k, over the choice of the
    residues, that some two were taken for one; empty where each coefficient was compared."""
    atoms: int = 0
    functions: int = 0

    @property
    def complete(self) -> bool:
        """Whether the outputs are proved for every input."""
        return self.outputs == PROVED

    @property
    def wrong(self) -> bool:
        """Whether something is wrong for some input."""
        return self.outputs == WRONG or any(kernel.status == WRONG for kernel in self.kernels)

    def to_json(self) -> str:
        """The certificate; equal proofs have equal bytes."""
        content: dict[str, Any] = {
            "schema": SCHEMA,
            "method": METHOD,
            "model": self.model,
            "tree": self.tree,
            "outputs": {"status": self.outputs, "reason": self.reason},
            "kernels": [vars(kernel) for kernel in self.kernels],
            "runtime": self.runtime,
            "arena": self.arena,
            "residues": self.residues,
            "atoms": self.atoms,
            "functions": self.functions,
            "trusted": list(TRUSTED),
        }
        return json.dumps(content, indent=1, sort_keys=True) + "\n"
