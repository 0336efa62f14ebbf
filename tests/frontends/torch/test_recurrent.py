# pyright: reportUnknownMemberType=false
"""Recurrent layers of PyTorch become one loop each, whatever the number of steps."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
from torch.utils._pytree import tree_leaves

from s2s.analysis.network.functions import main_of
from s2s.artifact import compile_artifact
from s2s.dialects import graph
from s2s.errors import UnsupportedError
from s2s.frontends.torch.capture import export
from s2s.options import CompileOptions
from support.compiled import quickly_loaded

LAYERS: dict[str, tuple[Callable[..., nn.RNNBase], Mapping[str, Any]]] = {
    "lstm": (nn.LSTM, {}),
    "lstm, batch first": (nn.LSTM, {"batch_first": True}),
    "lstm, both directions, three layers": (nn.LSTM, {"bidirectional": True, "num_layers": 3}),
    "lstm, projections": (nn.LSTM, {"proj_size": 3}),
    "lstm, projections, both directions, two layers": (
        nn.LSTM,
        {"proj_size": 3, "bidirectional": True, "num_layers": 2},
    ),
    "gru": (nn.GRU, {}),
    "gru, no biases, both directions, two layers": (
        nn.GRU,
        {"bias": False, "bidirectional": True, "num_layers": 2, "batch_first": True},
    ),
    "rnn": (nn.RNN, {}),
    "rnn, relu, both directions": (nn.RNN, {"nonlinearity": "relu", "bidirectional": True}),
}
STEPS = (48, 240)


def made(name: str, steps: int) -> tuple[nn.RNNBase, Tensor]:
    kind, options = LAYERS[name]
    torch.manual_seed(1)
    module = kind(4, 6, **options).eval()
    return module, torch.randn((2, steps, 4) if options.get("batch_first") else (steps, 2, 4))


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", LAYERS)
def test_each_layer_and_direction_is_one_loop_of_any_length(name: str):
    loops: list[int] = []
    lines: list[int] = []
    for module, x, steps in [(*made(name, steps), steps) for steps in STEPS]:
        directions = 2 if module.bidirectional else 1
        with compile_artifact(export(module, [x]), CompileOptions(target="c", name="net")) as artifact:
            main = main_of(artifact.compilation.at("graph").module)
            loops.append(sum(isinstance(op, graph.ScanOp) for op in main.body.block.ops))
            run = artifact.tree().text("src/net.c")
            assert (
                len(re.findall(rf"for \(int32_t \w+ = (?:0; \w+ < {steps}|{steps - 1}; \w+ >= 0);", run)) == loops[-1]
            )
            lines.append(sum(artifact.tree().text(path).count("\n") for path in artifact.tree() if _is_code(path)))
            found = list(quickly_loaded(artifact).run({artifact.info.inputs[0].name: x.numpy()}).values())
            assert loops[-1] == module.num_layers * directions
        with torch.no_grad():
            wanted = tree_leaves(module(x))
        for ours, theirs in zip(found, wanted, strict=True):
            torch.testing.assert_close(torch.from_numpy(ours), theirs, rtol=1e-4, atol=1e-5)
    assert len(set(lines)) == 1


def _is_code(path: str) -> bool:
    return path.startswith("src/") and "weights" not in path


class Packed(nn.Module):
    """A layer over sequences of lengths of their own."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.GRU(4, 6)

    def forward(self, x: Tensor) -> Tensor:
        packed = pack_padded_sequence(x, torch.tensor([5, 3]))
        return pad_packed_sequence(self.layer(packed)[0])[0]


def test_packed_sequences_are_refused_with_a_reason():
    with pytest.raises(UnsupportedError, match=r"change the module until torch.export.export takes it"):
        compile_artifact(export(Packed(), [torch.zeros(5, 2, 4)]), CompileOptions(target="c"))


@pytest.mark.parametrize(
    ("layer", "kernels", "weights"),
    [
        (nn.LSTM, ["lstm_gates", "lstm_cell", "lstm_hidden"], ["lstm_weight_hh_l0", "lstm_bias_l0", "lstm_initial"]),
        (nn.GRU, ["gru_gates", "gru_cell"], ["gru_weight_hh_l0", "gru_bias_ih_l0", "gru_initial"]),
        (nn.RNN, ["rnn_cell"], ["rnn_weight_hh_l0", "rnn_bias_l0", "rnn_initial"]),
    ],
)
def test_kernels_and_constants_are_called_after_layer_and_role(
    layer: Callable[..., nn.RNNBase], kernels: list[str], weights: list[str], tmp_path: Path
):
    class Named(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.add_module(layer.__name__.lower(), layer(4, 6))

        def forward(self, x: Tensor) -> Tensor:
            return next(self.children())(x)[0]

    artifact = compile_artifact(export(Named(), (torch.rand(5, 1, 4),)), CompileOptions(name="net", target="c"))
    with artifact:
        tree = artifact.write(tmp_path)
    text = "".join(path.read_text() for path in sorted(tree.glob("src/*.[ch]")))
    assert [name for name in (*kernels, *weights) if f"net_{name}" not in text] == []
    assert "_py_" not in text
