# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
"""A text-to-speech network as VITS is one: durations that a run computes decide how long the speech is."""

import torch
from torch import Tensor, nn
from torch.nn import functional

CHANNELS = 8
WORDS = 20


def mask_of(lengths: Tensor, most: Tensor | int) -> Tensor:
    """Which of `most` positions lie within each length, [batch, most]."""
    return torch.arange(most, dtype=lengths.dtype).unsqueeze(0) < lengths.unsqueeze(1)  # pyright: ignore[reportCallIssue, reportArgumentType]


def alignment(durations: Tensor, mask: Tensor) -> Tensor:
    """Which frames belong to which letter, [batch, 1, frames, letters], of durations [batch, 1, letters]."""
    batch, _, frames, letters = mask.shape
    ends = torch.cumsum(durations, -1).view(batch * letters)
    path = mask_of(ends, frames).to(mask.dtype).view(batch, letters, frames)
    path = path - functional.pad(path, (0, 0, 1, 0, 0, 0))[:, :-1]
    return path.unsqueeze(1).transpose(2, 3) * mask


class Speech(nn.Module):
    """Letters, their number, and scales of noise and length; gives samples [1, 1, 4 * frames] and frames."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.letters = nn.Embedding(WORDS, CHANNELS)
        self.encoder = nn.Conv1d(CHANNELS, CHANNELS, 3, padding=1)
        self.projection = nn.Conv1d(CHANNELS, 2 * CHANNELS, 1)
        self.durations = nn.Conv1d(CHANNELS, 1, 3, padding=1)
        self.flow = nn.Conv1d(CHANNELS, CHANNELS, 3, padding=1)
        self.decoder = nn.ConvTranspose1d(CHANNELS, 1, 8, 4, padding=2)

    def forward(self, x: Tensor, lengths: Tensor, scales: Tensor) -> tuple[Tensor, Tensor]:
        h = self.letters(x).transpose(1, 2)
        mask = mask_of(lengths, h.size(2)).unsqueeze(1).to(h.dtype)
        h = torch.relu(self.encoder(h * mask)) * mask
        means, logs = torch.split(self.projection(h) * mask, CHANNELS, dim=1)
        durations = torch.ceil(torch.exp(self.durations(h) * mask) * mask * scales[1])
        frames = torch.clamp_min(torch.sum(durations, [1, 2]), 1).long()
        kept = mask_of(frames, frames.max()).unsqueeze(1).to(mask.dtype)
        path = alignment(durations, mask.unsqueeze(2) * kept.unsqueeze(-1)).squeeze(1)
        means, logs = (torch.matmul(path, each.transpose(1, 2)).transpose(1, 2) for each in (means, logs))
        z = means + torch.exp(logs) * scales[0]
        return torch.tanh(self.decoder(self.flow(z * kept) * kept)), frames
