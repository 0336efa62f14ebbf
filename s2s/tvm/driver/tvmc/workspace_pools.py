"""Memory pools as arguments of a command line: `--workspace-pools=sram --workspace-pools-targets=sram:c`."""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from s2s.tvm.driver.tvmc.errors import TVMCException
from s2s.tvm.relay.memory_pools import PoolInfoProperties, WorkspaceMemoryPools, WorkspacePoolInfo
from s2s.tvm.target import Target

NUMBERS = {
    "size_hint_bytes": "the bytes that the network may take",
    "clock_frequency_hz": "the clock that cycles are counted by",
    "read_bandwidth_bytes_per_cycle": "bytes that are read in a cycle",
    "write_bandwidth_bytes_per_cycle": "bytes that are written in a cycle",
    "read_latency_cycles": "cycles until the first byte is read",
    "write_latency_cycles": "cycles until the first byte is written",
}
"""The properties of a pool that are one number."""


def generate_workspace_pools_args(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of pools: their names, and properties as `pool:value`, each as often as there are pools."""
    parser.add_argument("--workspace-pools", help="names of memory pools with commas between them, the fastest first")
    for name, text in {"targets": "targets that access it, with commas", **NUMBERS}.items():
        option = f"--workspace-pools-{name.replace('_', '-')}"
        parser.add_argument(option, action="append", metavar="POOL:VALUE", help=text)
    parser.add_argument(
        "--workspace-pools-target-burst-bytes", action="append", metavar="POOL:TARGET:BYTES", help="bytes of a burst"
    )


def workspace_pools_recombobulate(
    parsed: argparse.Namespace, targets: Sequence[Target], extra_target: Sequence[Mapping[str, Any]]
) -> WorkspaceMemoryPools | None:
    """Return the pools that arguments describe, None where they name none."""
    names = str(parsed.workspace_pools).split(",") if parsed.workspace_pools else []
    if not names:
        return None
    generators = [Target(str(each["raw"])) for each in extra_target]
    known = [*targets, *generators, *([targets[0].host] if targets[0].host else [])]
    return WorkspaceMemoryPools([_pool(name, parsed, known) for name in names])


def _pool(name: str, parsed: argparse.Namespace, targets: Sequence[Target]) -> WorkspacePoolInfo:
    named = _value(parsed.workspace_pools_targets, name)
    if named is None:
        raise TVMCException(f'{name}: No target specified for Workspace Pool "{name}"; give --workspace-pools-targets')
    words = named.split(",")
    access = [target for target in targets if target.kind.name in words]
    if not access:
        raise TVMCException(f'{name}: Workspace Pool "{name}" using undefined Target "{named}"; name one of --target')
    numbers = {
        each: int(value)
        for each in NUMBERS
        if (value := _value(getattr(parsed, f"workspace_pools_{each}"), name)) is not None
    }
    bursts = _bursts(parsed.workspace_pools_target_burst_bytes, name, targets)
    return WorkspacePoolInfo(name, access, PoolInfoProperties(**numbers, target_burst_bytes=bursts))


def _value(texts: Sequence[str] | None, pool: str) -> str | None:
    """The last value that `pool:value` texts give a pool."""
    values = [text.partition(":")[2] for text in texts or () if text.partition(":")[0] == pool]
    return values[-1] if values else None


def _bursts(texts: Sequence[str] | None, pool: str, targets: Sequence[Target]) -> dict[object, int]:
    """The bytes of a burst by target, of texts `pool:target:bytes`."""
    bursts: dict[object, int] = {}
    for text in texts or ():
        of, _, rest = text.partition(":")
        kind, _, size = rest.partition(":")
        target = next((each for each in targets if each.kind.name == kind), None)
        if target is None:
            raise TVMCException(
                f"--workspace-pools-target-burst-bytes {text}: {kind} is no target; name one of --target"
            )
        if of == pool:
            bursts[target] = int(size)
    return bursts


__all__ = ["generate_workspace_pools_args", "workspace_pools_recombobulate"]
