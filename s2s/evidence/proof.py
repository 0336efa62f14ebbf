"""Prove the tree, where its model is of a format that the prover reads, and keep the certificate."""

from pathlib import Path

from s2s.errors import S2SError
from s2s.evidence.document import Document, Table, not_measured
from s2s.prove.certificate import METHOD, PROVED, TRUSTED, Proof

NAME, TITLE = "proof-summary", "Proof of the printed C"
EXECUTED = "the proof holds for every input, whichever way this branch goes (proof.json)"
BY_MEANING = "the proof takes this function by its meaning, which tests of s2s compare with its forms (proof.json)"


def prove(model: Path | None, tree: Path) -> Proof | str:
    """Prove a tree; the reason where it cannot be tried."""
    if model is None:
        return "the model is not a file; give the file of the model"
    from s2s.prove.proof import prove_tree

    try:
        return prove_tree(model, tree)
    except S2SError as error:
        return str(error)


def justifications(proof: Proof | str) -> dict[str, str]:
    """Why it is in order that vectors do not take each branch of a function, by the function: the kernels of which each
    call is proved, and, where the outputs are, the functions of the runtime that they call."""
    if isinstance(proof, str):
        return {}
    calls = [(kernel.function, kernel.status == PROVED) for kernel in proof.kernels]
    kernels = {name for name, _ in calls} - {name for name, proved in calls if not proved}
    executed, by_meaning = (proof.runtime.get(key, []) if proof.complete else [] for key in ("executed", "by meaning"))
    return dict.fromkeys(by_meaning, BY_MEANING) | dict.fromkeys([*sorted(kernels), *executed], EXECUTED)


def proof_document(proof: Proof | str) -> Document:
    """The document about the proof, with the certificate."""
    if isinstance(proof, str):
        return not_measured(NAME, TITLE, proof)
    proved = sum(kernel.status == PROVED for kernel in proof.kernels)
    outputs = "for every input" if proof.complete else f"because {proof.reason}"
    return Document(
        NAME,
        TITLE,
        f"{proved} of {len(proof.kernels)} kernel calls proved; outputs {proof.outputs}, {outputs}",
        (
            f"Method: {METHOD}.",
            "s2s prove MODEL --tree TREE --check proof.json proves again and compares; python -m s2s.prove.checker "
            "MODEL TREE proof.json checks the certificate without the compiler.",
        ),
        (
            Table(
                "Kernel calls",
                ("kernel", "node", "elements", "status", "reason"),
                tuple((entry.function, entry.node, entry.count, entry.status, entry.reason) for entry in proof.kernels),
            ),
            Table("What the proof trusts", ("assumption",), tuple((entry,) for entry in TRUSTED)),
        ),
        {"proof.json": proof.to_json()},
        holds=proof.complete,
    )
