"""Read the record of an emitted tree, of one network or of several."""

import json
from pathlib import Path
from typing import Any

from s2s.emit.write import RECORD
from s2s.errors import InputError


def tree_record(root: Path, network: str | None = None) -> dict[str, Any]:
    """Return the record of the network at `root`, or of one of several there."""
    record = build_record(root)
    networks: dict[str, Any] = record.get("networks", {record["name"]: record})
    if network in networks or (network is None and "networks" not in record):
        return networks[network or record["name"]]
    known = ", ".join(networks)
    if network is None:
        raise InputError(f"{root}: holds several networks, {known}; name one: s2s.load(tree, network=…)")
    raise InputError(f"{network}: is no network of {root}, which holds {known}; name one of these")


def build_record(root: Path) -> dict[str, Any]:
    """Return the record of the tree at `root`, of one network or of several: what building it takes."""
    try:
        record = json.loads((root / RECORD).read_text(encoding="utf-8"))
        if record["generator"]["name"] == "s2s":
            return record
    except (OSError, ValueError, TypeError, KeyError):
        pass
    if not root.exists():
        raise InputError(f"{root}: there is no such folder; give the directory that `s2s compile` made")
    raise InputError(f"{root}: is no tree that s2s wrote; give the directory that `s2s compile` made")
