"""The caches of the machine that the compiler runs on, as Linux describes them."""

from pathlib import Path

CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
"""Where Linux describes the caches of the first core."""


def cache_bytes(level: int, otherwise: int, caches: Path = CACHES) -> int:
    """Bytes of the data cache of `level`; `otherwise` where nothing is told."""
    for folder in _data_caches(caches):
        size = _fact(folder, "size")
        if _fact(folder, "level") == str(level) and size.endswith("K") and size[:-1].isdigit():
            return int(size[:-1]) << 10
    return otherwise


def line_bytes(caches: Path = CACHES) -> int:
    """Bytes of a cache line; 64 where nothing is told."""
    told = [_fact(folder, "coherency_line_size") for folder in _data_caches(caches)]
    return max((int(size) for size in told if size.isdigit()), default=64)


def _data_caches(caches: Path) -> list[Path]:
    """The folders of the caches that hold data, nearest first."""
    return [folder for folder in sorted(caches.glob("index*")) if _fact(folder, "type") in ("Data", "Unified")]


def _fact(folder: Path, name: str) -> str:
    """What Linux tells under `name`; nothing where it does not."""
    try:
        return (folder / name).read_text(encoding="ascii").strip()
    except OSError:
        return ""
