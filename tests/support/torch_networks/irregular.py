# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownLambdaType=false, reportUnknownParameterType=false
"""Networks with gathers: graphs, experts, a step of diffusion."""

from __future__ import annotations

import math
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from support.torch_networks.building import Forward, Made, network


@network
def graph_convolution() -> Made:
    def forward(m: Any, x: Tensor, edges: Tensor) -> Tensor:
        source, target = edges
        messages = m.first(x)[source]
        degree = torch.zeros(x.shape[0]).index_add(0, target, torch.ones(edges.shape[1])).clamp(min=1)
        found = torch.zeros(x.shape[0], messages.shape[1]).index_add(0, target, messages)
        return m.second(F.relu(found / degree[:, None]))

    return Forward(forward, first=nn.Linear(4, 8), second=nn.Linear(8, 3)), (
        torch.randn(6, 4),
        torch.randint(0, 6, (2, 12)),
    )


@network
def graph_attention() -> Made:
    def forward(m: Any, x: Tensor, edges: Tensor) -> Tensor:
        h = m.project(x)
        scores = F.leaky_relu(m.score(torch.cat([h[edges[0]], h[edges[1]]], 1)), 0.2).exp()
        index = edges[1][:, None]
        total = torch.zeros(6, 1).scatter_add(0, index, scores)
        weights = scores / total[edges[1]]
        return torch.zeros(6, 8).scatter_add(0, index.expand(-1, 8), weights * h[edges[0]])

    return Forward(forward, project=nn.Linear(4, 8), score=nn.Linear(16, 1)), (
        torch.randn(6, 4),
        torch.randint(0, 6, (2, 10)),
    )


@network
def mixture_of_experts() -> Made:
    def forward(m: Any, x: Tensor) -> Tensor:
        values, places = m.gate(x).topk(2, -1)
        weights = torch.zeros(x.shape[0], 4).scatter(1, places, values.softmax(-1))
        experts = torch.stack([expert(x) for expert in m.experts], 1)
        return torch.einsum("te,teo->to", weights, experts)

    def expert() -> nn.Module:
        return nn.Sequential(nn.Linear(6, 8), nn.SiLU(), nn.Linear(8, 6))

    return Forward(forward, gate=nn.Linear(6, 4), experts=nn.ModuleList(expert() for _ in range(4))), (
        torch.randn(5, 6),
    )


@network
def diffusion_step() -> Made:
    def forward(m: Any, x: Tensor, t: Tensor) -> Tensor:
        angles = t[:, None] * torch.exp(torch.arange(4) * -1.5)
        time = m.time(torch.cat([angles.sin(), angles.cos()], 1))[:, :, None, None]
        down = F.silu(m.norm(m.down(x)) + time)
        noise = m.up(F.interpolate(down, scale_factor=2, mode="nearest"))
        return (x - 0.1 * noise) / math.sqrt(0.9)

    return Forward(
        forward,
        down=nn.Conv2d(3, 8, 3, 2, 1),
        norm=nn.GroupNorm(2, 8),
        time=nn.Linear(8, 8),
        up=nn.Conv2d(8, 3, 3, padding=1),
    ), (torch.randn(1, 3, 8, 8), torch.tensor([3.0]))
