"""Show the largest elements of an output by the names of their classes."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from s2s.errors import InputError

if TYPE_CHECKING:
    from s2s.types.dtypes import Array

SHOWN = 5
"""Classes that are shown of an output."""
MAX_BYTES = 1 << 24


def read_labels(file: Path) -> list[str]:
    """Read the names of classes, one a line."""
    try:
        if file.stat().st_size > MAX_BYTES:
            raise InputError(f"--labels {file}: has more than {MAX_BYTES:,} bytes; give a text with a name a line")
        labels = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8"
        raise InputError(f"--labels {file}: cannot be read ({reason}); give a text with a name a line") from error
    if not labels:
        raise InputError(f"--labels {file}: is empty; give a text with a name a line")
    return labels


def largest(values: "Array", labels: Sequence[str]) -> Iterator[str]:
    """Yield a line for each of the largest elements of each row of an output; a row has an element for each label."""
    for row in values.reshape(-1, len(labels)):
        for place in sorted(range(len(labels)), key=lambda each: -row[each])[:SHOWN]:
            yield f"{row[place]:>12.6g}  {labels[place]}"
