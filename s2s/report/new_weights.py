"""A pack of new weights for a tree that is there: the same program with other constants, or what differs.

The new model is compiled with the decisions of the tree, and its layout compared: a hash of the code, of the places of
weights, of constants in the code, and of the interface (`s2s/emit/pack.py`). Where it is another one, the parts of both
trees are compared to name the nodes.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from s2s.artifact import compile_artifact
from s2s.decisions.file import FORMAT
from s2s.emit.files import Tree
from s2s.emit.pack import code_of
from s2s.emit.pack_format import Pack, Signer
from s2s.emit.stream import pieces
from s2s.errors import InputError, UnsupportedError
from s2s.options.recorded import options_of_record
from s2s.targets import get_target

if TYPE_CHECKING:
    from s2s.frontends.model import Source
    from s2s.options import CompileOptions
    from s2s.targets import Target

SHOWN = 8
"""Differences that an error lists."""
_FUNCTION = re.compile(r"^(?:static )?\w[\w *]*?(\w+)\([^;{]*\)\n\{\n(.*?)^\}$", re.MULTILINE | re.DOTALL)
KEEP = "keep the model's shapes, quantisation of activations and names as they were, or write a new firmware"


def pack_for(
    tree: Tree,
    model: "Source",
    *,
    target: "str | Target | None" = None,
    untrusted: bool = False,
    trust_model: bool = False,
    version: int = 1,
    signer: Signer | None = None,
) -> bytes:
    """Return the pack of a model's weights for a tree that was compiled with `--weights pack`.

    The options and decisions of the tree are taken from its record. `target` is for trees whose target is a file.
    Raises `InputError` if the tree has no pack or is for another target, and `UnsupportedError` with the nodes that
    differ if the model needs another program.
    """
    record = tree.record
    if "pack" not in record:
        raise InputError(f"{record['name']}: holds its weights itself; compile it with --weights pack")
    trusted = {"untrusted": untrusted, "trust_model": trust_model}
    options = replace(options_of_record(record), name=record["name"], target=_target(target, record), **trusted)
    new_tree = _compiled(model, options, record)
    if new_tree.record["pack"]["layout"] != record["pack"]["layout"]:
        differences = list(_differences(tree, new_tree))
        more = f", and {len(differences) - SHOWN} more" if len(differences) > SHOWN else ""
        facts = "; ".join(differences[:SHOWN]) or "the options of the compilation"
        raise UnsupportedError(f"{record['name']}: the new model needs another program: {facts}{more}; {KEEP}")
    weights = b"".join(pieces(new_tree.files[new_tree.record["pack"]["file"]]))[-_size(new_tree) :]
    pack = Pack(bytes.fromhex(record["pack"]["layout"]), record["pack"]["align"], weights, version)
    return pack.to_bytes(signer)


def _target(wished: "str | Target | None", record: Mapping[str, Any]) -> "str | Target":
    name = record["target"]["name"]
    if wished is not None and get_target(wished).name != name:
        raise InputError(
            f"{record['name']}: was compiled for {name}, not for {get_target(wished).name}; leave --target out"
        )
    return name if wished is None else wished


def _compiled(model: "Source", options: "CompileOptions", record: Mapping[str, Any]) -> Tree:
    """Compile with the decisions of a record; without them where they name parts that this model does not have."""
    decisions = {"format": FORMAT, "target": record["target"]["name"], "decisions": record["decisions"]}
    try:
        with compile_artifact(model, replace(options, decisions=decisions)) as artifact:
            return artifact.tree()
    except InputError:
        with compile_artifact(model, options) as artifact:
            return artifact.tree()


def _size(tree: Tree) -> int:
    return max(array["offset"] + array["size"] for array in tree.record["pack"]["arrays"])


def _differences(old: Tree, new: Tree) -> Iterator[str]:
    """Say what differs between two trees, interface first, each part by its node."""
    for kind in ("inputs", "outputs"):
        yield from _ports(kind.removesuffix("s"), old.record[kind], new.record[kind])
    yield from _weights(old.record["pack"]["arrays"], new.record["pack"]["arrays"])
    yield from _sums(old.record["accumulators"], new.record["accumulators"])
    yield from _code(old, new)


def _ports(kind: str, old: Sequence[Mapping[str, Any]], new: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if len(old) != len(new):
        yield f"{len(old)} {kind}s, now {len(new)}"
    for before, now in zip(old, new, strict=False):
        for key in ("name", "dtype", "shape", "quantisation"):
            if before[key] != now[key]:
                yield f"{kind} {before['name']}: {key} {_shown(before[key])}, now {_shown(now[key])}"


def _weights(old: Sequence[Mapping[str, Any]], new: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    before, now = ({array["identifier"]: array for array in arrays} for arrays in (old, new))
    for name, weight in before.items():
        if name not in now:
            yield f"{weight['name']}: a weight of the code, and none of the new model"
        elif (now_type := _type(now[name])) != _type(weight):
            yield f"{weight['name']}: {_type(weight)}, now {now_type}"
    yield from (
        f"{weight['name']}: a weight that the code does not have" for name, weight in now.items() if name not in before
    )


def _sums(old: Sequence[Mapping[str, Any]], new: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Say which accumulators hung on values of weights."""
    before = {layer_sum["layer"]: layer_sum["accumulator"] for layer_sum in old}
    for layer_sum in new:
        layer, kind = layer_sum["layer"], layer_sum["accumulator"]
        if before.get(layer, kind) != kind:
            yield f"{layer}: sums in {before[layer]}, which the new weights may overflow; now {kind}"


def _code(old: Tree, new: Tree) -> Iterator[str]:
    """Say which functions differ: the first line that does, with the nodes of a kernel."""
    nodes = {call["kernel"]: call["nodes"] for call in old.record.get("calls", ())}
    before, now = (_functions(tree) for tree in (old, new))
    for name in sorted(before, key=lambda name: name not in nodes):
        place, lines = f"{nodes[name]} ({name})" if nodes.get(name) else name, before[name]
        if name not in now:
            yield f"{place}: a kernel that the new model does not have"
        elif now[name] != lines:
            pairs = zip(lines, now[name], strict=False)
            was, is_now = next((pair for pair in pairs if pair[0] != pair[1]), ("its end", "more"))
            yield f"{place}: `{was.strip()}`, now `{is_now.strip()}`"
    yield from (f"{name}: a kernel that the code does not have" for name in now if name not in before)


def _functions(tree: Tree) -> dict[str, list[str]]:
    """Return the lines of each function of a tree's code."""
    code = code_of({path: content for path, content in tree.files.items() if path.endswith(".c")})
    return {match[1]: match[2].splitlines() for text in code.values() for match in _FUNCTION.finditer(text)}


def _type(array: Mapping[str, Any]) -> str:
    return f"{array['dtype']}{array['shape']}"


def _shown(value: Any) -> str:
    return f"({value['scale']:g}, {value['zero_point']})" if isinstance(value, dict) else str(value)


__all__ = ["pack_for"]
