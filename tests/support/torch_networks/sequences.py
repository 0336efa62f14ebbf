# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownLambdaType=false, reportUnknownParameterType=false
"""Networks on sequences: recurrent and causal ones."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from support.torch_networks.building import Forward, Made, conv_bn, head, network


@network
def lstm_classifier() -> Made:
    return Forward(
        lambda m, x: m.head(m.lstm(x)[1][0][-1]), lstm=nn.LSTM(5, 8, 2, batch_first=True), head=nn.Linear(8, 3)
    ), (torch.randn(2, 6, 5),)


@network
def bidirectional_lstm() -> Made:
    return Forward(lambda m, x: m.lstm(x)[0], lstm=nn.LSTM(5, 6, bidirectional=True)), (torch.randn(7, 2, 5),)


@network
def projected_lstm() -> Made:
    return Forward(lambda m, x: m.lstm(x), lstm=nn.LSTM(5, 8, proj_size=3, bias=False)), (torch.randn(4, 1, 5),)


@network
def gru() -> Made:
    return Forward(lambda m, x, h: m.gru(x, h), gru=nn.GRU(4, 8, batch_first=True)), (
        torch.randn(1, 9, 4),
        torch.randn(1, 1, 8),
    )


@network
def elman() -> Made:
    return Forward(lambda m, x: m.rnn(x)[0], rnn=nn.RNN(4, 6, 2, nonlinearity="relu")), (torch.randn(5, 4),)


@network
def crnn() -> Made:
    def forward(m: Any, x: Tensor) -> Tensor:
        y = m.conv(x).flatten(1, 2).permute(2, 0, 1)
        return F.log_softmax(m.head(m.gru(y)[0]), -1)

    return Forward(
        forward, conv=conv_bn(1, 4, stride=2), gru=nn.GRU(16, 6, bidirectional=True), head=nn.Linear(12, 5)
    ), (torch.randn(1, 1, 8, 20),)


class CausalConv(nn.Module):
    def __init__(self, inner: int, outer: int, dilation: int) -> None:
        super().__init__()
        self.pad = 2 * dilation
        self.conv = nn.utils.parametrizations.weight_norm(nn.Conv1d(inner, outer, 3, dilation=dilation))

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(self.conv(F.pad(x, (self.pad, 0))))


@network
def tcn() -> Made:
    return nn.Sequential(CausalConv(3, 8, 1), CausalConv(8, 8, 2), CausalConv(8, 8, 4), nn.Conv1d(8, 2, 1)), (
        torch.randn(1, 3, 24),
    )


@network
def wavenet() -> Made:
    def forward(m: Any, x: Tensor) -> Tensor:
        skips: list[Tensor] = []
        for layer in m.layers:
            left, right = layer(x).chunk(2, 1)
            y = torch.tanh(left) * torch.sigmoid(right)
            x = x[..., -y.shape[-1] :] + y
            skips.append(y)
        return skips[-1] + sum(skip[..., -x.shape[-1] :] for skip in skips[:-1])

    layers = nn.ModuleList([nn.Conv1d(4, 8, 2), nn.Conv1d(4, 8, 2)])
    return Forward(forward, layers=layers), (torch.randn(1, 4, 16),)


@network
def keyword_spotter() -> Made:
    return nn.Sequential(
        nn.Conv2d(1, 8, (10, 4), 2, (4, 1)),
        nn.ReLU(),
        conv_bn(8, 8, groups=8),
        conv_bn(8, 8, 1),
        nn.Dropout(0.4),
        head(8, 12),
    ), (torch.randn(1, 1, 49, 10),)
