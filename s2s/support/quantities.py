"""Bytes and times in the units that a reader compares and thinks in."""

KIB = 1024


def in_units(size: int) -> str:
    """Return bytes in the unit that a reader compares them in: `8,438 bytes`, `251.0 KiB`, `2.4 MiB`."""
    if size < 10 * KIB:
        return f"{size:,} bytes"
    return f"{size / KIB:,.1f} KiB" if size < KIB * KIB else f"{size / KIB / KIB:,.1f} MiB"


def duration(microseconds: float) -> str:
    """Return a time in the unit that a reader thinks in: `4.38 ms`."""
    return f"{microseconds / 1000:,.3g} ms" if microseconds >= 1000 else f"{microseconds:,.3g} µs"
