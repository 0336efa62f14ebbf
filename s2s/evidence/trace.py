"""Trace each node of the model to its kernel, the lines of C of that kernel and of its call, and the test vectors."""

from collections.abc import Mapping
from typing import Any

from s2s.evidence.coverage import Coverage, Place
from s2s.evidence.document import Document, Table, not_measured
from s2s.evidence.vectors import described
from s2s.prove.certificate import Proof

NAME, TITLE = "traceability", "Traceability: node, kernel, lines, test vectors"


def trace_document(record: Mapping[str, Any], coverage: Coverage | str, proof: Proof | str, vectors: int) -> Document:
    """The document about the calls that the record of a tree lists."""
    calls: list[dict[str, Any]] = record.get("calls", [])
    if not calls:
        return not_measured(NAME, TITLE, "the tree's record lists no calls of kernels; compile with --executor aot")
    places = dict[str, Place]() if isinstance(coverage, str) else coverage.places
    ran = dict[str, int]() if isinstance(coverage, str) else coverage.calls
    status = dict[str, str]() if isinstance(proof, str) else {kernel.node: kernel.status for kernel in proof.kernels}
    name = record["name"]
    rows: list[tuple[str, ...]] = []
    for call in calls:
        kernel, nodes = str(call["kernel"]), str(call["nodes"])
        rows.append(
            (
                nodes,
                kernel,
                f"src/{name}.c:{call['line']}",
                _lines(places.get(kernel)),
                f"0 to {vectors - 1}" if vectors and ran.get(kernel) else "none",
                next((state for node, state in status.items() if nodes and nodes in node), "not proved"),
            )
        )
    reached = sum(row[4] != "none" for row in rows)
    return Document(
        NAME,
        TITLE,
        f"{len(rows)} kernel calls; {reached} run in the test, each with every vector",
        (
            "A node of the model that another one absorbs (an activation, a pad, a copy) has no kernel: the comment at "
            "the call names the node whose result the kernel computes. Test vectors are numbered as in "
            f"test/{name}_vectors.c of the folder `test`.",
        ),
        (
            Table(
                "Calls in the order of a run",
                ("node", "kernel", "call", "lines of the kernel", "test vectors", "proof"),
                tuple(rows),
            ),
            Table(
                "Test vectors", ("number", "inputs"), tuple((number, described(number)) for number in range(vectors))
            ),
        ),
        holds=reached == len(rows),
    )


def _lines(place: Place | None) -> str:
    return "not measured" if place is None else f"{place[0]}:{place[1]} to {place[2]}"
