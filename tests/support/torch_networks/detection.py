# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownLambdaType=false, reportUnknownParameterType=false
"""Detectors of objects, with what follows them."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from support.torch_networks.building import Forward, Made, conv_bn, image, network


@network
def center_detector() -> Made:
    def forward(m: Any, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        features = m.body(x)
        heat = torch.sigmoid(m.heat(features))
        heat = torch.where(F.max_pool2d(heat, 3, 1, 1) == heat, heat, torch.zeros_like(heat))
        scores, places = heat.flatten(1).topk(5)
        width = features.shape[-1]
        plane = features.shape[-2] * width
        classes, cell = places // plane, places % plane
        boxes = m.boxes(features).flatten(2).gather(2, cell[:, None].expand(-1, 4, -1))
        centers = torch.stack([cell % width, cell // width], 1).float()
        return scores, classes, torch.cat([centers - boxes[:, :2], centers + boxes[:, 2:]], 1)

    return Forward(forward, body=conv_bn(3, 8, stride=2), heat=nn.Conv2d(8, 2, 1), boxes=nn.Conv2d(8, 4, 1)), image()


class Suppress(nn.Module):
    """Detection with suppression of boxes that overlap a better one, all pairs at once."""

    def __init__(self) -> None:
        super().__init__()
        self.body, self.out = conv_bn(3, 8, stride=4), nn.Conv2d(8, 5, 1)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        found = self.out(self.body(x)).flatten(2)[0].T
        scores, order = found[:, 4].sort(descending=True)
        boxes = found[order, :4]
        low, high = boxes[:, :2] - boxes[:, 2:].exp(), boxes[:, :2] + boxes[:, 2:].exp()
        edges = torch.minimum(high[:, None], high) - torch.maximum(low[:, None], low)
        shared = edges.clamp(min=0).prod(-1)
        area = (high - low).prod(-1)
        overlap = shared / (area[:, None] + area - shared)
        beaten = torch.triu(overlap, 1).amax(0) > 0.5
        return torch.where(beaten, 0.0, scores), torch.cat([low, high], 1)


@network
def detection_with_suppression() -> Made:
    return Suppress(), image()


@network
def yolo_head() -> Made:
    def forward(m: Any, x: Tensor) -> Tensor:
        y = m.out(m.body(x))
        batch, _, height, width = y.shape
        y = y.view(batch, 2, 6, height, width).permute(0, 1, 3, 4, 2)
        rows, columns = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
        grid = torch.stack([columns, rows], -1)
        xy = (y[..., :2].sigmoid() * 2 - 0.5 + grid) * 8
        wh = (y[..., 2:4].sigmoid() * 2) ** 2 * m.anchors[:, None, None]
        return torch.cat([xy, wh, y[..., 4:].sigmoid()], -1).flatten(1, 3)

    return Forward(
        forward,
        body=conv_bn(3, 8, stride=4),
        out=nn.Conv2d(8, 12, 1),
        anchors=torch.tensor([[10.0, 13.0], [33.0, 23.0]]),
    ), image()
