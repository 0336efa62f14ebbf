"""Names of nodes, as they stand in error messages and in provenance."""

from onnx import NodeProto

from s2s.frontends.names import one_line


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
