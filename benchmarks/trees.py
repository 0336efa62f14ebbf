"""Whether a change of the compiler changes what it emits: digests of the trees of many networks, before and after.

    python -m benchmarks.trees --write before.json [--networks PATTERN ...] [--targets TARGET ...] [--full]
    python -m benchmarks.trees --against before.json [--networks PATTERN ...] [--targets TARGET ...] [--full]
    python -m benchmarks.trees --given-back [--networks PATTERN ...] [--targets TARGET ...] [--full]

Compiles every network for every target and takes two digests of each tree: of its C without comments (what a C compiler
sees, constants included), and of all its bytes. `--against` prints the trees that differ, and exits with 1 if the C of
any does. `--given-back` compiles each network twice, the second time with the decisions that the first one wrote, and
compares all bytes. Run `--write` on the commit before the change. A network that is refused counts as its message.

Without `--full` the networks are the ready-made ones of `../shared`, which compile in a second or two each; with it
those of `benchmarks.networks` and the models that `benchmarks.models` has made are compiled as well.
"""

import argparse
import fnmatch
import hashlib
import json
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import onnx

from benchmarks.models import CACHE, READY_MADE, SHARED
from s2s.api import Artifact
from s2s.api import compile as compile_network
from s2s.errors import S2SError

TARGETS = ("x86-64-v4", "x86-64-v3", "c", "cortex-m4", "cortex-m55")
MICRO = SHARED / "models" / "mlperf_tiny"
COMMENT = re.compile(rb"/\*.*?\*/|//[^\n]*", re.DOTALL)
SOURCES = (".c", ".h", ".S", ".bin")

Digest = Mapping[str, str]
"""The digest of the code of a tree, and of all its bytes."""


def networks(*, full: bool) -> Iterator[tuple[str, Path | onnx.ModelProto]]:
    """The networks by name, each an ONNX or TFLite file or a model in memory."""
    folders = [READY_MADE, MICRO, *([CACHE] if full else [])]
    for folder in folders:
        yield from ((path.stem, path) for path in sorted(folder.glob("*.[ot][nf][nl]*")))
    if full:
        from benchmarks.networks.__main__ import NETWORKS

        yield from ((name, make()) for name, make in NETWORKS.items())


def digest(model: Path | onnx.ModelProto, target: str) -> Digest:
    """Compile `model` for `target` and digest its tree."""
    try:
        return digest_of(compile_network(model, target=target, name="net"))
    except S2SError as error:
        refused = hashlib.sha256(str(error).encode()).hexdigest()
        return {"code": refused, "all": refused}


def keeps_its_bytes(model: Path | onnx.ModelProto, target: str) -> bool:
    """Whether `model` becomes the same tree when its decisions are written and given back; true where it is refused."""
    try:
        first = compile_network(model, target=target, name="net")
    except S2SError:
        return True
    written = json.loads(json.dumps(first.decisions.as_dict()))
    again = compile_network(model, target=target, name="net", decisions=written)
    return digest_of(first) == digest_of(again)


def digest_of(artifact: Artifact) -> Digest:
    """The digest of the tree of a compiled network."""
    with tempfile.TemporaryDirectory() as folder:
        tree = artifact.write(Path(folder) / "tree")
        code, everything = hashlib.sha256(), hashlib.sha256()
        for path in sorted(tree.rglob("*")):
            if path.is_file():
                name, content = path.relative_to(tree).as_posix().encode(), path.read_bytes()
                everything.update(name + content)
                if path.suffix in SOURCES:
                    code.update(name + b"".join(COMMENT.sub(b"", content).split()))
        return {"code": code.hexdigest(), "all": everything.hexdigest()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the digests, or compare with the written ones."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.trees", description=(__doc__ or "").partition("\n")[0])
    file = parser.add_mutually_exclusive_group(required=True)
    file.add_argument("--write", type=Path, metavar="FILE", help="write the digests there")
    file.add_argument("--against", type=Path, metavar="FILE", help="compare with digests that were written")
    file.add_argument("--given-back", action="store_true", help="compare trees with and without their own decisions")
    parser.add_argument("--networks", nargs="+", default=["*"], metavar="PATTERN", help="names, with * and ?")
    parser.add_argument("--targets", nargs="+", default=list(TARGETS), metavar="TARGET")
    parser.add_argument("--full", action="store_true", help="large networks, too")
    options = parser.parse_args(arguments)
    before: dict[str, Digest] = {} if options.against is None else json.loads(options.against.read_text())
    found: dict[str, Digest] = {}
    different = 0
    for name, model in networks(full=options.full):
        if not any(fnmatch.fnmatch(name, pattern) for pattern in options.networks):
            continue
        for target in options.targets:
            key = f"{name} {target}"
            if options.against is not None and key not in before:
                continue
            if options.given_back:
                found[key] = {}
                if not keeps_its_bytes(model, target):
                    different += 1
                    print(f"{key}: differs from the tree with its own decisions given back", flush=True)
                continue
            found[key] = digest(model, target)
            if options.write is None and found[key] != before[key]:
                kind = "comments or records" if found[key]["code"] == before[key]["code"] else "code"
                different += kind == "code"
                print(f"{key}: {kind} differ", flush=True)
    if options.write is not None:
        options.write.write_text(json.dumps(found, indent=1) + "\n")
    differing = f", {different} differ" if options.given_back else f", the code of {different} differs"
    print(f"{len(found)} trees{differing if options.write is None else ''}")
    return 1 if different or not found else 0


if __name__ == "__main__":
    sys.exit(main())
