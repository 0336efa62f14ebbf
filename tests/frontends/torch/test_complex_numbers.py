# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false
"""Complex numbers and Fourier transforms inside of programs, against torch."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from s2s import api
from s2s.errors import UnsupportedError
from s2s.frontends import torch as frontend
from s2s.interpret.graph import run_graph
from support.torch_calls import Calls

WINDOW = torch.hann_window(64)


def stft(x: Tensor, **more: Any) -> Tensor:
    return torch.stft(x, 64, 16, window=WINDOW, return_complex=True, **more)


def both(z: Tensor) -> Tensor:
    return torch.view_as_real(z)


def rotated(x: Tensor) -> Tensor:
    """Rotary positions as Llama's reference writes them."""
    turns = torch.polar(torch.ones(16, 10), torch.outer(torch.arange(16.0), 1e4 ** (-torch.arange(10) / 10)))
    return both(torch.view_as_complex(x.reshape(16, 10, 2)) * turns).flatten(1)


X, SIGNAL, IMAGE = (16, 20), (2, 400), (2, 12, 9)
CASES: dict[str, tuple[Callable[[Tensor], Any], tuple[int, ...]]] = {
    "stft": (lambda x: both(stft(x)), SIGNAL),
    "magnitudes, normalised, not centred": (lambda x: stft(x, normalized=True, center=False).abs(), SIGNAL),
    "both sides": (lambda x: both(stft(x, onesided=False)), (400,)),
    "a masked spectrum and back": (
        lambda x: torch.istft(stft(x) * (stft(x).abs() > 3), 64, 16, window=WINDOW, length=400),
        SIGNAL,
    ),
    "phases": (lambda x: torch.fft.rfft(x).angle().cos(), X),
    "complex rows": (lambda x: both(torch.fft.ifft(torch.fft.fft(x, norm="ortho"), norm="forward")), X),
    "images": (lambda x: torch.fft.irfft2(torch.fft.rfft2(x) / 2, s=(12, 9)), IMAGE),
    "images, first axis last": (lambda x: both(torch.fft.rfftn(x, dim=(2, 1), norm="forward")), IMAGE),
    "all axes": (lambda x: torch.fft.fftn(x).real + torch.fft.fftn(x).imag, IMAGE),
    "a longer signal": (lambda x: torch.fft.irfft(torch.fft.rfft(x, n=32), n=50, norm="ortho"), X),
    "convolution": (lambda x: torch.fft.irfft(torch.fft.rfft(x, n=39) * torch.fft.rfft(x.flip(1), n=39), n=39), X),
    "moved": (lambda x: both(torch.cat([z := torch.fft.fft(x), z[:, :3].conj()], 1).T.reshape(23, 4, 4)[::2]), X),
    "sums": (lambda x: both(torch.fft.fft(x) - x + 2 - torch.fft.fft(x).mean(0, keepdim=True) * 1j), X),
    "quotients": (lambda x: both(x / (torch.fft.fft(x) + 40) + torch.fft.fft(x) / (torch.fft.fft(x) + 40)), X),
    "chosen": (lambda x: both(torch.where(x > 0, torch.fft.fft(x), x)), X),
    "parts": (lambda x: both(torch.complex(x, x[:1]).unsqueeze(0).sum(1)), X),
    "a constant": (lambda x: both(torch.fft.fft(x) * torch.tensor([1 + 2j, 3 - 1j]).repeat(10)), X),
    "padded": (lambda x: both(nn.functional.pad(torch.fft.fft(x), (1, 2), value=3.0)), X),
    "rotary positions": (rotated, X),
    "of 64 bits": (lambda x: both(torch.fft.fft(x.double()) * torch.fft.fft(x)), X),
}


def example(shape: tuple[int, ...]) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("name", CASES)
def test_programs_with_complex_numbers_give_what_torch_gives(name: str):
    function, shape = CASES[name]
    x = example(shape)
    imported = frontend.import_model(frontend.load_model(frontend.export(Calls(function), [x])))
    (found,) = run_graph(imported.module, [x.numpy()], imported.weights)
    wanted = function(x).numpy()
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=2e-5 * np.abs(wanted).max())


def test_a_spectrum_is_computed_in_c():
    function, shape = CASES["a masked spectrum and back"]
    x = example(shape)
    artifact = api.compile(frontend.export(Calls(function), [x]), target="c")
    (found,) = artifact.run({"x": x.numpy()}).values()
    np.testing.assert_allclose(found, function(x).numpy(), atol=1e-5)


def test_a_spectrum_of_a_length_that_varies():
    x = example((1, 400))
    frames = torch.export.Dim("frames", min=8, max=40)
    exported = torch.export.export(Calls(lambda x: stft(x).abs()), (x,), dynamic_shapes={"x": {1: 16 * frames}})
    artifact = api.compile(exported, target="c")
    for count in (8, 13, 40):
        x = example((1, 16 * count))
        (found,) = artifact.run({"x": x.numpy()}).values()
        np.testing.assert_allclose(found, stft(x).abs().numpy(), atol=1e-5)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (torch.fft.fft, "output .*is complex; return its parts"),
        (lambda x: both(torch.fft.fft(x).exp()), "exp.default: this operator is not supported on complex numbers"),
    ],
    ids=["an output", "another operator"],
)
def test_what_is_not_computed_on_complex_numbers_is_refused(function: Callable[[Tensor], Any], message: str):
    with pytest.raises(UnsupportedError, match=message):
        frontend.import_model(frontend.load_model(frontend.export(Calls(function), [example(X)])))
