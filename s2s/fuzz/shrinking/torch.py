# pyright: reportUnknownMemberType=false
"""Exported programs of PyTorch from which calls are cut off."""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import fx, nn

from s2s.errors import InputError
from s2s.frontends.torch.archive import read_archive
from s2s.fuzz.shrinking import Node, Shrinkable


class TorchParts(Shrinkable):
    """An exported program; parts have the sizes of its example."""

    suffix = ".pt2"

    def __init__(self, program: Any) -> None:
        self.program = program
        """A `torch.export.ExportedProgram`."""
        [last] = [node for node in program.graph.nodes if node.op == "output"]
        self.calls: list[fx.Node] = [node for node in program.graph.nodes if node.op not in ("placeholder", "output")]
        self.nodes = [
            Node(str(call.target), [one.name for one in call.all_input_nodes], [call.name]) for call in self.calls
        ]
        self.outputs = list(dict.fromkeys(node.name for node in last.all_input_nodes))
        self.constants = _constants(program)
        self.stored = self.constants.keys()

    @staticmethod
    def read(path: Path) -> "TorchParts":
        """Return the program of a file that `torch.export.save` has written."""
        if path.suffix != ".pt2":
            raise InputError(f"{path}: is no exported program; save one with torch.export.save as a .pt2 file")
        return TorchParts(read_archive(path, trust=False))

    def part(self, kept: Sequence[int], inputs: Sequence[str], outputs: Sequence[str]) -> "TorchParts | None":
        """Return the program of some calls, with the constants that they read."""
        known = {node.name: node for node in self.program.graph.nodes}
        examples = [_example(known[name]) for name in inputs]
        if any(call is None for call in (*examples, *(_example(known[name]) for name in outputs))):
            return None
        root, graph = nn.Module(), fx.Graph()
        made = {known[name]: graph.placeholder(name) for name in inputs}
        for number in kept:
            for read in self.calls[number].all_input_nodes:
                if read.name in self.constants and read not in made:
                    root.register_buffer(read.name, self.constants[read.name].detach())
                    made[read] = graph.get_attr(read.name)
        for number in kept:
            made[self.calls[number]] = graph.node_copy(self.calls[number], made.__getitem__)
        graph.output(tuple(made[known[name]] for name in outputs))
        try:
            return TorchParts(torch.export.export(fx.GraphModule(root, graph), tuple(examples)))
        except Exception:  # whatever torch does not export again is not cut
            return None

    def serialised(self) -> bytes:
        """Return the file."""
        file = io.BytesIO()
        torch.export.save(self.program, file)
        return file.getvalue()


def _constants(program: Any) -> dict[str, Any]:
    """The parameters, buffers and constants of a program, by the names of their placeholders."""
    signature, values = program.graph_signature, {**program.constants, **program.state_dict}
    named = {
        **signature.inputs_to_parameters,
        **signature.inputs_to_buffers,
        **signature.inputs_to_lifted_tensor_constants,
    }
    return {name: values[target] for name, target in named.items()}


def _example(node: fx.Node) -> torch.Tensor | None:
    """A tensor of zeros as a node gives one; None if it gives anything else."""
    value = node.meta.get("val")
    if not isinstance(value, torch.Tensor):
        return None
    return torch.zeros([int(size) for size in value.shape], dtype=value.dtype)
