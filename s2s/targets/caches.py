"""Read the cache sizes of this machine from Linux."""

from pathlib import Path

CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
"""Where Linux describes the caches of the first core."""


def cache_bytes(level: int, otherwise: int, caches: Path = CACHES) -> int:
    """Return the bytes of the data cache of `level`; `otherwise` if they are unknown."""
    for folder in _data_caches(caches):
        size = _fact(folder, "size")
        if _fact(folder, "level") == str(level) and size.endswith("K") and size[:-1].isdigit():
            return int(size[:-1]) << 10
    return otherwise


def line_bytes(caches: Path = CACHES) -> int:
    """Return the bytes of a cache line; 64 if they are unknown."""
    told = [_fact(folder, "coherency_line_size") for folder in _data_caches(caches)]
    return max((int(size) for size in told if size.isdigit()), default=64)


def _data_caches(caches: Path) -> list[Path]:
    """Return the folders of the data caches, nearest first."""
    return [folder for folder in sorted(caches.glob("index*")) if _fact(folder, "type") in ("Data", "Unified")]


def _fact(folder: Path, name: str) -> str:
    """Return what Linux states under `name`; nothing if it states nothing."""
    try:
        return (folder / name).read_text(encoding="ascii").strip()
    except OSError:
        return ""
