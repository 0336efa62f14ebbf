"""Names of nodes and values, as they stand in error messages and in the IR.

Text of a model may hold anything: line breaks, `*/`, ten thousand characters. What leaves this file is one line.
"""

import re

from s2s.dialects.graph.traits import layer_of
from s2s.frontends.limits import MAX_NAME


def one_line(text: str | bytes) -> str:
    """`text` without control characters, cut to a readable length; readers hand out bytes that are not UTF-8."""
    decoded = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    line = decoded if decoded.isprintable() else "".join(c if c.isprintable() else "?" for c in decoded)
    return line if len(line) <= MAX_NAME else line[: MAX_NAME - 1] + "…"


def name_hint(name: str) -> str | None:
    """`name` of a value or a node as an SSA value name of the IR, None when nothing of it is usable."""
    hint = re.sub(r"[^A-Za-z0-9_$.-]+", "_", layer_of(name))[:MAX_NAME].strip("_.-")
    return None if not hint or hint[0].isdigit() else hint
