"""Operators of torchvision, by stand-ins of the same names and schemas, in C."""
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUntypedFunctionDecorator=false

import math
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from s2s.artifact import compile_artifact
from s2s.frontends.torch import export
from s2s.options import CompileOptions

ALIGN = (
    "roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width, "
    "int sampling_ratio, bool aligned) -> Tensor"
)


def nms(dets: Tensor, scores: Tensor, iou_threshold: float) -> Tensor:
    """As torchvision defines it."""
    chosen: list[int] = []
    areas = (dets[:, 2] - dets[:, 0]) * (dets[:, 3] - dets[:, 1])
    for number in scores.argsort(descending=True, stable=True).tolist():
        overlaps: list[float] = []
        for other in chosen:
            sides = torch.minimum(dets[number, 2:], dets[other, 2:]) - torch.maximum(dets[number, :2], dets[other, :2])
            shared = sides.clamp_min(0).prod()
            overlaps.append(float(shared / (areas[number] + areas[other] - shared)))
        if all(each <= iou_threshold for each in overlaps):
            chosen.append(number)
    return torch.tensor(chosen, dtype=torch.int64)


def _read(image: Tensor, y: float, x: float) -> Tensor:
    height, width = image.shape[1:]
    if not (-1 <= y <= height and -1 <= x <= width):
        return torch.zeros(image.shape[0])
    y, x = min(max(y, 0.0), height - 1.0), min(max(x, 0.0), width - 1.0)
    top, left = math.floor(y), math.floor(x)
    bottom, right = min(top + 1, height - 1), min(left + 1, width - 1)
    upper = image[:, top, left] * (1 - x + left) + image[:, top, right] * (x - left)
    lower = image[:, bottom, left] * (1 - x + left) + image[:, bottom, right] * (x - left)
    return upper * (1 - y + top) + lower * (y - top)


def roi_align(input: Tensor, rois: Tensor, scale: float, height: int, width: int, ratio: int, aligned: bool) -> Tensor:
    """As torchvision defines it."""
    found = torch.zeros(len(rois), input.shape[1], height, width)
    for number, row in enumerate(rois.tolist()):
        left, top, right, bottom = (each * scale - 0.5 * aligned for each in row[1:])
        sides = [bottom - top, right - left] if aligned else [max(bottom - top, 1.0), max(right - left, 1.0)]
        bins = sides[0] / height, sides[1] / width
        counts = [ratio if ratio > 0 else max(math.ceil(each), 1) for each in bins]
        for i, j in np.ndindex(height, width):
            samples = [
                _read(
                    input[int(row[0])],
                    top + (i + (a + 0.5) / counts[0]) * bins[0],
                    left + (j + (b + 0.5) / counts[1]) * bins[1],
                )
                for a, b in np.ndindex(*counts)
            ]
            found[number, :, i, j] = torch.stack(samples).mean(0)
    return found


@pytest.fixture(scope="module", autouse=True)
def operators() -> Any:
    """The stand-ins, as long as the tests of this file run."""
    with torch.library._scoped_library("torchvision", "FRAGMENT") as library:  # pyright: ignore[reportPrivateUsage]
        library.define("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        library.define(ALIGN)
        library.impl("nms", nms, "CPU")
        library.impl("roi_align", roi_align, "CPU")

        def shape_of_nms(dets: Tensor, scores: Tensor, iou_threshold: float) -> Tensor:
            size = torch.library.get_ctx().new_dynamic_size(min=0, max=dets.shape[0])
            return dets.new_empty([size], dtype=torch.int64)

        def shape_of_rois(input: Tensor, rois: Tensor, scale: float, height: int, width: int, *_: Any) -> Tensor:
            return input.new_empty([rois.shape[0], input.shape[1], height, width])

        torch.library.register_fake("torchvision::nms", shape_of_nms, lib=library)
        torch.library.register_fake("torchvision::roi_align", shape_of_rois, lib=library)
        yield


class Chosen(nn.Module):
    """The boxes that `nms` chooses, and their scores."""

    def forward(self, boxes: Tensor, scores: Tensor) -> tuple[Tensor, Tensor]:
        chosen = torch.ops.torchvision.nms(boxes, scores, 0.4)
        return chosen, boxes[chosen]


def test_nms_chooses_the_boxes_of_torch():
    random = torch.Generator().manual_seed(0)
    corners = torch.rand(20, 2, generator=random)
    boxes = torch.cat([corners, corners + 0.1 + 0.5 * torch.rand(20, 2, generator=random)], 1)
    scores = torch.rand(20, generator=random)
    artifact = compile_artifact(export(Chosen(), [boxes, scores]), CompileOptions(target="c", name="net"))
    for _ in range(3):
        found = list(artifact.run({"boxes": boxes.numpy(), "scores": scores.numpy()}).values())
        expected = Chosen()(boxes, scores)
        np.testing.assert_array_equal(found[0], expected[0].numpy())
        np.testing.assert_array_equal(found[1], expected[1].numpy())
        scores = scores.roll(3)


@pytest.mark.parametrize("aligned", [False, True])
@pytest.mark.parametrize("ratio", [-1, 2])
def test_regions_are_pooled_as_by_torch(aligned: bool, ratio: int):
    class Pooled(nn.Module):
        def forward(self, x: Tensor, rois: Tensor) -> Tensor:
            return torch.ops.torchvision.roi_align(x, rois, 0.5, 3, 2, ratio, aligned)

    random = torch.Generator().manual_seed(1)
    x = torch.randn(2, 3, 8, 9, generator=random)
    rois = torch.tensor([[0.0, 1.0, 2.0, 12.0, 14.0], [1.0, 0.0, 0.0, 5.0, 3.0], [1.0, 4.0, 5.0, 17.0, 15.0]])
    artifact = compile_artifact(export(Pooled(), [x, rois]), CompileOptions(target="c", name="net"))
    [found] = artifact.run({"x": x.numpy(), "rois": rois.numpy()}).values()
    np.testing.assert_allclose(found, Pooled()(x, rois).numpy(), rtol=1e-5, atol=1e-5)
