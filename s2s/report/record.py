"""Read the figures of an earlier compilation from its tree or its page, for `compare`.

A record has the form of `Figures.compared`: name, target, sizes, kernels, layers with their times, decisions, and the
SHA-256 of each file of the tree.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeGuard, cast

from s2s.analysis.channels.removed import RemovedChannels
from s2s.analysis.numbers.sums import LayerSums, describe_sums
from s2s.emit.files import RECORD, Tree
from s2s.emit.info import CodePool, LineBuffered, Overlapping, PushedRows
from s2s.emit.read_tree import read_tree
from s2s.errors import InputError
from s2s.stages.graph import describe_line_buffers
from s2s.stages.memory import describe_overlaps

SCHEMA = 1
DATA = re.compile(r'<script type="application/json" id="s2s-figures">(.*?)</script>', re.DOTALL)
"""Where a page has its figures."""
MAX_BYTES = 64 << 20
"""No page is larger."""


def figures_of_path(path: Path) -> dict[str, Any]:
    """Read the figures of a tree or a page; raise an error if `path` is neither."""
    return figures_of_tree(path) if path.is_dir() else figures_of_page(path)


def figures_of_tree(tree: Path) -> dict[str, Any]:
    """Return the figures in the record of a tree, and digests of its files."""
    written = read_tree(tree)
    sizes = sizes_of_tree(written)
    record = written.record_of(written.network())
    functions: Mapping[str, int] = sizes.get("code_of", {})
    stacks: Mapping[str, int] = sizes.get("stack_of", {})
    return {
        "schema": SCHEMA,
        "name": record["name"],
        "target": record["target"]["name"],
        "sizes": {
            **{key: value for key, value in sizes.items() if isinstance(value, int | float)},
            **{f"code of {name}": size for name, size in functions.items()},
            **{f"stack of {name}": size for name, size in stacks.items()},
        },
        "kernels": record["kernels"],
        "layers": [],
        "decisions": record["decisions"],
        "files": {name: _digest(tree, name) for name in record["files"] if name != RECORD},
    }


def sizes_of_tree(tree: Tree) -> dict[str, Any]:
    """Return the figures of `s2s report` in the record of a tree of one network."""
    network, record = tree.network(), tree.record
    measured: dict[str, Any] = record["measured"] or {}
    removed: dict[str, int] = record.get("removed_channels", {})
    pushed: dict[str, Any] | None = record.get("pushed")
    arena, row = record["arena"], None if pushed is None else int(pushed["row_size"])
    inputs = sum(port.size for port in network.inputs) if row is None else row
    outside = sum(port.size for port in network.outputs if port.offset is None)
    fields = {
        "name": network.name,
        "target": record["target"]["name"],
        "executor": network.executor,
        "kernels": len(record["kernels"]),
        "arena": network.arena_size,
        "arena_lower_bound": arena["lower_bound"],
        "ram": network.arena_size + (network.ports_size if row is None else row + outside),
        "inputs": inputs,
        "outputs": sum(port.size for port in network.outputs),
        "weights": record["weights"]["size"],
        "measured_by": measured.get("by"),
        "flash": measured["code"] + measured["constants"] if measured else None,
        "code": measured.get("code"),
        "code_of": measured.get("functions", {}),
        "static_ram": measured.get("static_ram"),
        "stack": measured.get("stack"),
        "stack_note": measured.get("stack_note"),
        "stack_of": measured.get("stacks", {}),
        "arena_lower_bound_apart": arena["lower_bound_apart"],
        "overlaps": describe_overlaps([Overlapping(**each) for each in arena["overlaps"]]),
        "extra_operations": arena["extra_operations"],
        "pushed_rows": "" if pushed is None else PushedRows(**pushed).describe(),
        "line_buffers": describe_line_buffers([LineBuffered(**each) for each in arena.get("line_buffers", ())]),
        "accumulators": describe_sums([LayerSums(**each) for each in record.get("accumulators", ())]),
        "code_in_pools": "; ".join(
            CodePool(**pool).describe(measured.get("functions", {})) for pool in record.get("code", ())
        ),
        "removed_channels": RemovedChannels(**removed).describe() if removed else "",
    }
    return {key: value for key, value in fields.items() if value not in (None, "", {})}


def figures_of_page(page: Path) -> dict[str, Any]:
    """Return the figures in a page of `s2s report --html`."""
    wrong = f"{page}: is no report of s2s; give a tree, or a page that s2s report MODEL --html wrote"
    try:
        if page.stat().st_size > MAX_BYTES:
            raise InputError(wrong)
        found = DATA.search(page.read_text(encoding="utf-8"))
        data: object = json.loads(found[1]) if found else None
    except OSError as error:
        raise InputError(f"{page}: cannot be read ({error.strerror}); give a tree, or the page of a report") from error
    except (ValueError, RecursionError) as error:
        raise InputError(wrong) from error
    if not _is_record(data):
        raise InputError(wrong)
    return data


def _is_record(data: object) -> TypeGuard[dict[str, Any]]:
    """Return whether `data` has the form of `Figures.compared`."""
    if not isinstance(data, dict):
        return False
    record = cast(dict[str, Any], data)
    return (
        record.get("schema") == SCHEMA
        and all(isinstance(record.get(key), str) for key in ("name", "target"))
        and _holds(record.get("sizes"), int | float)
        and _holds(record.get("files"), str)
        and isinstance(record.get("kernels"), list)
        and all(isinstance(each, str) for each in record["kernels"])
        and _are_rows(record.get("layers"), ("nodes", "kernel"))
        and all(isinstance(each.get("time"), int | float | None) for each in record["layers"])
        and _are_rows(record.get("decisions"), ("kind", "subject", "about", "chosen"))
    )


def _holds(table: object, kind: Any) -> bool:
    """Return whether `table` is an object whose values are of `kind`."""
    return isinstance(table, dict) and all(isinstance(each, kind) for each in cast(dict[str, object], table).values())


def _are_rows(rows: object, texts: tuple[str, ...]) -> bool:
    """Return whether `rows` is a list of objects that have these `texts`."""
    return isinstance(rows, list) and all(
        isinstance(row, dict) and all(isinstance(cast(dict[str, Any], row).get(key), str) for key in texts)
        for row in cast(list[object], rows)
    )


def _digest(tree: Path, name: str) -> str:
    """Return the SHA-256 of a file of a tree; refuse a `name` of the tree's record that leads outside of the tree."""
    path = tree / name
    if not path.resolve().is_relative_to(tree.resolve()):
        raise InputError(f"{tree}: its metadata.json names a file outside of it: {name}; give a tree that s2s wrote")
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return "missing"
