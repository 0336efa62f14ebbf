"""Write an evidence pack: all documents about a network, their index, and the tree that they are about."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from s2s.artifact import Artifact
from s2s.emit.files import RECORD, Content, Tree, check_destination, write_tree
from s2s.errors import InputError
from s2s.evidence.compilers import LEVELS, compilers_document, sanitizers_document
from s2s.evidence.conditions import conditions_document, measure_conditions
from s2s.evidence.coverage import coverage_document, measure_coverage
from s2s.evidence.document import LEFT_OUT, Document
from s2s.evidence.misra import check_misra, misra_documents
from s2s.evidence.page import document_page, index_page
from s2s.evidence.proof import justifications, proof_document, prove
from s2s.evidence.resources import stack_document, worst_case_document
from s2s.evidence.trace import trace_document
from s2s.evidence.trial import trial_of
from s2s.evidence.vectors import VECTORS, with_vectors
from s2s.evidence.versions import bill_document, versions_document
from s2s.support import progress
from s2s.support.frozen import frozen

INDEX = "index.html"
TREE = "tree"


@frozen
class Scope:
    """How much a pack measures."""

    vectors: int = VECTORS
    levels: tuple[str, ...] = LEVELS
    """The levels of optimisation that each compiler is tried at."""
    proof: bool = True
    board: bool = True
    """Whether the network runs on the emulated board of its target."""


def write_evidence(artifact: Artifact, model: Path | None, destination: Path, scope: Scope | None = None) -> Path:
    """Write the pack of a network to `destination`, whole or not at all; an older pack there is replaced.

    `model` is the file that it was compiled from, None where there is none. Raises InputError where the folder holds
    anything else, and for networks whose code is for several devices or calls libraries of others.
    """
    check_destination(destination)
    record = artifact.measured_tree().record
    for key, what in (("devices", "code for several devices"), ("external", "calls of libraries of others")):
        if record.get(key):
            raise InputError(f"--evidence {destination}: the tree has {what}, which is not assessed; compile without")
    with tempfile.TemporaryDirectory(prefix="s2s-evidence-") as name:
        files = _files(artifact, model, Path(name), scope or Scope())
    described = {"schema": 1, "generator": {"name": "s2s", "version": artifact.info.version}, "files": sorted(files)}
    write_tree({**files, RECORD: (json.dumps(described, indent=1) + "\n").encode()}, destination)
    return destination


def _files(artifact: Artifact, model: Path | None, folder: Path, scope: Scope) -> dict[str, Content]:
    """All files of a pack; programs are built in `folder`."""
    info = artifact.info
    progress.step("computing test vectors")
    tested, vectors = with_vectors(artifact, scope.vectors)
    documents = list(_documents(artifact, model, folder, tested, len(vectors), scope))
    texts = {INDEX: index_page(info.name, info.target.name, info.source, documents)}
    for document in documents:
        texts[f"{document.name}.html"] = document_page(info.name, document)
        texts[f"{document.name}.json"] = document.to_json()
        texts.update(document.files)
    files: dict[str, Content] = {path: text.replace(f"{folder}/", "").encode() for path, text in texts.items()}
    return files | {f"{TREE}/{path}": content for path, content in tested.files.items()}


def _documents(
    artifact: Artifact, model: Path | None, folder: Path, tested: Tree, vectors: int, scope: Scope
) -> Iterator[Document]:
    """Measure, and make the documents in the order of the index."""
    info, tree = artifact.info, folder / TREE
    tested.write(tree)
    versions = versions_document(artifact, tree)
    exact = all(port.dtype.kind in "iub" for port in info.outputs)
    progress.step("proving the tree")
    proof = prove(model, tree) if scope.proof else LEFT_OUT
    progress.step("running the checker of MISRA C")
    checked = check_misra(tree)
    sources = sorted(path for path in tested.files if path.endswith((".c", ".h")) and not path.startswith("test/"))
    trial = trial_of(tree, info, tested.record["target"]["flags"])
    progress.step("measuring coverage")
    reasons = justifications(proof)
    coverage = measure_coverage(trial, folder / "branches", reasons)
    yield trace_document(tested.record, coverage, proof, vectors)
    yield proof_document(proof)
    yield coverage_document(coverage, vectors)
    yield conditions_document(measure_conditions(trial, folder / "conditions", reasons), vectors)
    progress.step("building with each compiler")
    yield compilers_document(trial, folder, vectors, scope.levels, exact=exact)
    yield sanitizers_document(trial, folder, vectors)
    progress.step("measuring the stack and the worst case")
    yield stack_document(artifact)
    yield worst_case_document(artifact, run=scope.board)
    yield from misra_documents(info.profile, checked, sources)
    yield bill_document(artifact)
    yield versions
