"""Names of nodes and values, as they stand in error messages, in provenance and in the IR.

Text of a model may hold anything: line breaks, `*/`, ten thousand characters. What leaves this file is one line.
"""

import re

from onnx import NodeProto

from s2s.frontends.onnx.limits import MAX_NAME


def one_line(text: str | bytes) -> str:
    """`text` without control characters, cut to a readable length; protobuf hands out bytes that are not UTF-8."""
    decoded = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    line = decoded if decoded.isprintable() else "".join(c if c.isprintable() else "?" for c in decoded)
    return line if len(line) <= MAX_NAME else line[: MAX_NAME - 1] + "…"


def label(node: NodeProto) -> str:
    """The node's name, or its operator and first output when it has none: `conv1`, `Conv_y`."""
    if node.name:
        return one_line(node.name)
    output = next((name for name in node.output if name), "")
    return one_line(f"{node.op_type}_{output}" if output else node.op_type)


def place(node: NodeProto) -> str:
    """What an error message about `node` starts with: `conv1 (Conv)`."""
    return f"{label(node)} ({operator(node)})"


def operator(node: NodeProto) -> str:
    """The operator of `node`, with its domain unless that is ai.onnx: `Conv`, `com.microsoft.FusedConv`."""
    domain = canonical_domain(node.domain)
    return one_line(f"{domain}.{node.op_type}" if domain else node.op_type)


def canonical_domain(domain: str) -> str:
    """`ai.onnx` and the empty string name the same domain; the empty string is used here."""
    return "" if domain == "ai.onnx" else domain


def name_hint(name: str) -> str | None:
    """`name` as an SSA value name of the IR, None when nothing of it is usable."""
    hint = re.sub(r"[^A-Za-z0-9_$.-]+", "_", name)[:MAX_NAME].strip("_.-")
    return None if not hint or hint[0].isdigit() else hint
