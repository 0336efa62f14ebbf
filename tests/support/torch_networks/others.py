# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownLambdaType=false, reportUnknownParameterType=false
"""Networks of other kinds."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from support.torch_networks.building import Forward, Made, conv_bn, head, image, network


@network
def siamese() -> Made:
    return Forward(
        lambda m, a, b: F.cosine_similarity(m.body(a), m.body(b)), body=nn.Sequential(conv_bn(1, 4), head(4, 6))
    ), (
        torch.randn(1, 1, 8, 8),
        torch.randn(1, 1, 8, 8),
    )


@network
def pointnet() -> Made:
    return Forward(
        lambda m, x: m.head(m.body(x).amax(-1)),
        body=nn.Sequential(nn.Conv1d(3, 8, 1), nn.BatchNorm1d(8), nn.ReLU(), nn.Conv1d(8, 12, 1)),
        head=nn.Linear(12, 4),
    ), (torch.randn(2, 3, 20),)


@network
def recommender() -> Made:
    def forward(m: Any, user: Tensor, item: Tensor, dense: Tensor) -> Tensor:
        features = torch.stack([m.users(user), m.items(item), m.bottom(dense)], 1)
        rows, columns = torch.tril_indices(3, 3, -1)
        crossed = torch.bmm(features, features.transpose(1, 2))[:, rows, columns]
        return torch.sigmoid(m.top(torch.cat([features[:, 2], crossed], 1)))

    return Forward(
        forward,
        users=nn.Embedding(20, 6),
        items=nn.Embedding(30, 6),
        bottom=nn.Sequential(nn.Linear(4, 6), nn.ReLU()),
        top=nn.Linear(9, 1),
    ), (torch.randint(0, 20, (3,)), torch.randint(0, 30, (3,)), torch.randn(3, 4))


@network
def radiance_field() -> Made:
    def forward(m: Any, x: Tensor) -> Tensor:
        waves = x[..., None] * 2.0 ** torch.arange(4)
        y = m.body(torch.cat([waves.sin(), waves.cos()], -1).flatten(1))
        colour, density = y.split([3, 1], -1)
        alpha = 1 - torch.exp(-F.softplus(density) * 0.1)
        through = torch.cumsum(torch.log(1 - alpha + 1e-6), 0).exp()
        return (through * alpha * colour.sigmoid()).sum(0)

    return Forward(forward, body=nn.Sequential(nn.Linear(24, 16), nn.ReLU(), nn.Linear(16, 4))), (torch.randn(10, 3),)


@network
def neural_ode() -> Made:
    def forward(m: Any, x: Tensor) -> Tensor:
        for _ in range(3):
            k1 = m.field(x)
            k2 = m.field(x + 0.05 * k1)
            x = x + 0.1 * (k1 + k2) / 2
        return x

    return Forward(forward, field=nn.Sequential(nn.Linear(4, 8), nn.Softplus(), nn.Linear(8, 4))), (torch.randn(2, 4),)


@network
def state_space() -> Made:
    """A diagonal linear recurrence as a convolution with its kernel, as in S4."""

    def forward(m: Any, x: Tensor) -> Tensor:
        steps = torch.arange(x.shape[-1])
        kernel = (m.c * torch.exp(-F.softplus(m.a)[..., None] * steps).transpose(1, 2)).sum(-1)
        y = F.conv1d(F.pad(x, (x.shape[-1] - 1, 0)), kernel.flip(-1)[:, None], groups=4)
        return F.gelu(y + m.d[:, None] * x)

    return Forward(
        forward,
        a=nn.Parameter(torch.randn(4, 3)),
        c=nn.Parameter(torch.randn(4, 1, 3)),
        d=nn.Parameter(torch.randn(4)),
    ), (torch.randn(1, 4, 12),)


@network
def low_rank_adapter() -> Made:
    return Forward(
        lambda m, x: m.base(x) + 0.5 * m.up(m.down(x)),
        base=nn.Linear(8, 8),
        down=nn.Linear(8, 2, bias=False),
        up=nn.Linear(2, 8, bias=False),
    ), (torch.randn(2, 8),)


@network
def spatial_transformer() -> Made:
    def forward(m: Any, x: Tensor) -> Tensor:
        theta = m.where(x).view(-1, 2, 3) * 0.2 + torch.eye(2, 3)
        return F.grid_sample(x, F.affine_grid(theta, list(x.shape), align_corners=False), align_corners=False)

    return Forward(forward, where=nn.Sequential(conv_bn(1, 4, stride=2), head(4, 6))), image(1, 8)


@network
def bilinear_fusion() -> Made:
    return Forward(lambda m, a, b: m.fuse(a, b), fuse=nn.Bilinear(4, 5, 3)), (torch.randn(2, 4), torch.randn(2, 5))
