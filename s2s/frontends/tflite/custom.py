"""Operators that TFLite does not know: importers that users register by name."""

from s2s.errors import InputError
from s2s.frontends.tflite.node import Importer, Node

_IMPORTERS: dict[str, Importer] = {}


def register_custom_op(name: str, importer: Importer) -> None:
    """Import custom operators called `name` by `importer`, which builds their outputs from the node's operands."""
    if not name:
        raise InputError("register_custom_op: the name is empty; give the operator's custom code")
    _IMPORTERS[name] = importer


def custom_importer(node: Node) -> Importer:
    """The importer that was registered for the operator of `node`."""
    importer = _IMPORTERS.get(node.info.custom)
    if importer is None:
        raise node.unsupported(
            "no importer is registered for this custom operator",
            f"give one with s2s.register_custom_op({node.info.custom!r}, importer)",
        )
    return importer
