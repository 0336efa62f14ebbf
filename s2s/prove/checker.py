"""A small check of a certificate, which imports nothing of s2s: it reads what the prover says, the tree and the model.

    python -m s2s.prove.checker kws.tflite kws proof.json

It checks four things. The certificate is of these files, byte for byte. Its kernels are the calls of the run function
in their order, and it calls the outputs proved only if each kernel is. No two tensors of the arena's table in the C lie
on the same bytes while both live. By the bytes that the certificate says each kernel reads and writes, it writes to
places that the table gives it, and reads what the last kernel that wrote there left, inside of a tensor that still
lives.

It does not execute the C: `s2s prove --check` does that again. Exits with 1 and the first reason if something does not
hold.
"""

from __future__ import annotations

import json
import re
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

FOLDERS = ("include", "runtime", "src")
CALLS = re.compile(r"^    (\w+)\(.*?\);", re.DOTALL | re.MULTILINE)
PLACES = re.compile(r"^ \* a_\w+ \+ \d+ +(\d+) +(\d+) +(\d+) +(\d+)  (scratch of )?", re.MULTILINE)
OTHERS = re.compile(r"^    (?:for|memcpy|s2s_arena_copy)\b", re.MULTILINE)
"""Steps of the run function that are no kernels."""


class Place(NamedTuple):
    """Bytes of the arena that a tensor has from one step to another, both included; 0 is before the first step."""

    begin: int
    end: int
    first: int
    last: int
    is_scratch: bool = False

    def meets(self, other: Place) -> bool:
        """Whether this place and a later one share bytes while both live; a result may begin over an operand whose last
        reader makes it."""
        begins_over = self.last == other.first > self.first and not other.is_scratch
        return (
            self.begin < other.end
            and other.begin < self.end
            and self.first <= other.last
            and other.first <= self.last
            and not begins_over
        )


def check(model: Path, tree: Path, certificate: Path) -> int:
    """Check a certificate; return how many kernels it has.

    Raises ValueError with the reason where it does not hold.
    """
    fields = json.loads(certificate.read_text(encoding="utf-8"))
    _check_files(model, tree, fields)
    name = json.loads((tree / "metadata.json").read_text(encoding="utf-8"))["name"]
    text = (tree / "src" / f"{name}.c").read_text(encoding="utf-8")
    run = text[text.index(f"{name}_run(") :]
    _check_kernels(name, run, fields)
    _require(not OTHERS.search(run), "its run function copies or loops, which this check does not follow")
    rows = [(*map(int, row.groups()[:4]), bool(row[5])) for row in PLACES.finditer(text)]
    _check_arena(sorted((Place(b, b + n, f, t, s) for b, n, f, t, s in rows), key=lambda place: place.first), fields)
    return len(fields["kernels"])


def _check_files(model: Path, tree: Path, fields: dict[str, Any]) -> None:
    """The certificate is of these files and no others."""
    _require(_digest(model) == fields["model"], f"{model} is another file than the one that was proved")
    paths = [path for folder in FOLDERS for path in (tree / folder).rglob("*") if path.is_file()]
    digests = {path.relative_to(tree).as_posix(): _digest(path) for path in [*paths, tree / "metadata.json"]}
    differing = sorted(file for file in {*digests, *fields["tree"]} if digests.get(file) != fields["tree"].get(file))
    _require(not differing, f"the files {', '.join(differing)} are not the ones that were proved")


def _check_kernels(name: str, run: str, fields: dict[str, Any]) -> None:
    """The kernels are the calls of the run function, and all of them are proved if the outputs are."""
    kernels = fields["kernels"]
    calls = [call for call in CALLS.findall(run) if call.startswith(f"{name}_")]
    _require(calls == [kernel["function"] for kernel in kernels], "its kernels are not the calls of the run function")
    proved = all(kernel["status"] == "proved" for kernel in kernels)
    _require(proved or fields["outputs"]["status"] != "proved", "its outputs are proved, but not all of its kernels")


def _check_arena(places: list[Place], fields: dict[str, Any]) -> None:
    """Tensors that live at once lie apart, and kernels read and write inside of tensors that live."""
    for number, one in enumerate(places):
        for other in places[:number]:
            _require(not other.meets(one), f"{other} and {one} live at once on the same bytes")
    accesses = fields["arena"]["accesses"]
    _require(len(accesses) == len(fields["kernels"]), "it does not list the accesses of each kernel")
    writer = [0] * fields["arena"]["size"]
    for step, access in enumerate(accesses, 1):
        for begin, end, source in access["reads"]:
            _require(set(writer[begin:end]) == {source}, f"step {step} reads what step {source} did not leave")
            _require(
                _lies_in(places, begin, end, source, step), f"step {step} reads bytes {begin} to {end}, which are dead"
            )
        for begin, end in access["writes"]:
            _require(end <= len(writer), f"step {step} writes beyond the arena")
            _require(
                _lies_in(places, begin, end, step, step), f"step {step} writes bytes {begin} to {end} of no tensor"
            )
            writer[begin:end] = [step] * (end - begin)


def _lies_in(places: list[Place], begin: int, end: int, written: int, used: int) -> bool:
    """Whether bytes lie in scratch of step `used`, or in tensors that live then and that step `written` found begun."""
    left = [
        place for place in places if place.first <= used <= place.last and (place.is_scratch or place.first <= written)
    ]
    at = begin
    while at < end:
        reach = max((place.end for place in left if place.begin <= at < place.end), default=at)
        if reach == at:
            return False
        at = reach
    return True


def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


def _require(holds: bool, reason: str) -> None:
    if not holds:
        raise ValueError(reason)


def main() -> None:
    """Check the certificate that the command line names."""
    try:
        count = check(*map(Path, sys.argv[1:]))
    except (OSError, ValueError, LookupError, TypeError) as refusal:
        sys.exit(f"{sys.argv[-1]}: {refusal}; prove the tree again with s2s prove")
    sys.stdout.write(f"{count} kernels: the certificate is of these files, and the accesses keep to its table\n")


if __name__ == "__main__":
    main()
