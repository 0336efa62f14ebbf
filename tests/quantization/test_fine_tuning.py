"""A prepared module rounds in training as the quantised one does, and learns to live with it."""
# torch is partly untyped.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("onnxruntime")

import torch
from torch import nn

from s2s.errors import InputError
from s2s.quantization import fine_tuning, prepare, quantize

IMAGES = torch.from_numpy(np.random.default_rng(0).standard_normal((64, 2, 8, 8)).astype(np.float32))


def network() -> nn.Sequential:
    torch.manual_seed(2)
    first = [nn.Conv2d(2, 6, 3), nn.BatchNorm2d(6), nn.ReLU(), nn.MaxPool2d(2)]
    return nn.Sequential(*first, nn.Conv2d(6, 6, 3), nn.Flatten(), nn.Linear(6, 3)).eval()


def test_training_sees_the_numbers_of_the_quantised_module(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(fine_tuning, "MOMENTUM", 0.0)  # the ranges that `quantize` finds on the same samples
    net = network()
    tuned = prepare(net, IMAGES)
    with torch.no_grad():
        torch.testing.assert_close(tuned.eval()(IMAGES), net(IMAGES), rtol=1e-4, atol=1e-5)
        rounded = tuned.train()(IMAGES)
        program = quantize(network(), {"input": IMAGES.numpy()}, refine=False).model.module()
        quantised = torch.cat([program(image[None]) for image in IMAGES])
        floats = net(IMAGES)
    assert (rounded - floats).abs().max() > 1e-3
    step = float((quantised.max() - quantised.min()) / 255)
    assert (rounded - quantised).abs().max() < 1.1 * step
    assert float(((rounded - quantised).abs() < step / 2).float().mean()) > 0.95


def test_a_few_steps_bring_the_quantised_module_closer_to_a_target():
    net = network()
    tuned = prepare(net, IMAGES)
    with torch.no_grad():
        wanted = net(IMAGES)[:, :2].roll(1, 1)
    optimiser = torch.optim.Adam(tuned.parameters(), 3e-3)
    tuned.train()
    losses: list[float] = []
    for _ in range(40):
        optimiser.zero_grad()
        loss = nn.functional.mse_loss(tuned(IMAGES)[:, :2], wanted)
        loss.backward()
        optimiser.step()
        losses.append(float(loss))
    assert losses[-1] < 0.5 * losses[0]
    made = quantize(tuned, {"input": IMAGES.numpy()}, refine=False)
    program = made.model.module()
    with torch.no_grad():
        found = torch.cat([program(image[None]) for image in IMAGES])[:, :2]
    assert float(nn.functional.mse_loss(found, wanted)) < 0.6 * losses[0]
    assert [layer.operator for layer in made.layers if layer.operator in ("conv2d", "linear")] == ["conv2d", "linear"]


def test_a_single_sample_is_refused():
    with pytest.raises(InputError, match="examples: hold fewer than two samples; give a batch"):
        prepare(network(), IMAGES[:1])
