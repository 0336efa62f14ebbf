"""Synthetic networks for the planner: the shapes of real ones, as steps between values."""

from dataclasses import dataclass, field

from s2s.memory.buffers import Buffer, InPlace
from s2s.memory.steps import Step


@dataclass
class Builder:
    """Appends steps; value 0 is the input of the network."""

    sizes: list[int]
    steps: list[Step] = field(default_factory=list[Step])

    def step(self, size: int, *reads: int, in_place: bool = False) -> int:
        """One step that reads `reads` and writes a new value of `size` bytes; its number is returned."""
        written = len(self.sizes)
        self.sizes.append(size)
        pairs = tuple((written, read) for read in reads) if in_place else ()
        self.steps.append(Step(reads, (written,), in_place=pairs))
        return written


def chain(length: int) -> Builder:
    """Convolutions in a row, sizes going up and down."""
    net = Builder([3_000])
    value = 0
    for index in range(length):
        value = net.step(1_000 + 4 * (index * 7_919 % 5_000), value)
    return net


def residual(blocks: int) -> Builder:
    """Bottleneck blocks as in ResNet: three convolutions, a skip connection, an addition in place."""
    net = Builder([600_000])
    value, size = 0, 800_000
    for index in range(blocks):
        if index % 4 == 3:
            size = size // 2 // 64 * 64
        inner = net.step(size // 4, value)
        inner = net.step(size // 4, inner)
        inner = net.step(size, inner)
        shortcut = net.step(size, value) if index % 4 in (0, 3) else value
        value = net.step(size, inner, shortcut, in_place=True)
    return net


def inception(blocks: int) -> Builder:
    """Four branches of one to three steps, joined by a concatenation."""
    net = Builder([150_528])
    value, size = 0, 200_704
    for index in range(blocks):
        shares = [size // 4, size // 2, size // 8, size // 8]
        first = net.step(shares[0], value)
        second = net.step(shares[1], net.step(size // 3, value))
        third = net.step(shares[2], net.step(size // 16, value))
        fourth = net.step(shares[3], net.step(size, value))
        value = net.step(size, first, second, third, fourth)
        if index % 3 == 2:
            size //= 2
    return net


def densenet(layers: int) -> Builder:
    """Each layer adds 32 channels to a concatenation that grows, with a reduction every eight layers."""
    net = Builder([802_816])
    channels, plane = 64, 56 * 56 * 4
    value = 0
    for index in range(layers):
        bottleneck = net.step(128 * plane, net.step(channels * plane, value))
        growth = net.step(32 * plane, bottleneck)
        channels += 32
        value = net.step(channels * plane, value, growth)
        if index % 8 == 7:
            channels, plane = channels // 2, plane // 4
            value = net.step(channels * plane, value)
    return net


def unet(depth: int) -> Builder:
    """Long skip connections from the way down to the way up."""
    net = Builder([262_144])
    value, skips = 0, list[int]()
    for level in range(depth):
        value = net.step(4_194_304 >> level, net.step(4_194_304 >> level, value))
        skips.append(value)
        value = net.step(1_048_576 >> level, value)
    for level in reversed(range(depth)):
        value = net.step(4_194_304 >> level, value)
        value = net.step(8_388_608 >> level, value, skips[level])
        value = net.step(4_194_304 >> level, net.step(4_194_304 >> level, value))
    return net


def shuffle(blocks: int) -> Builder:
    """Split, one half through three steps, concatenate, shuffle."""
    net = Builder([602_112])
    value, size = 0, 181_888
    for _ in range(blocks):
        half = net.step(size // 2, value)
        other = net.step(size // 2, value)
        branch = net.step(size // 2, net.step(size // 2, net.step(size // 2, half)))
        value = net.step(size, net.step(size, other, branch))
    return net


def transformer(layers: int) -> Builder:
    """Attention and feed-forward blocks with skip connections."""
    tokens = 197 * 192 * 4
    net = Builder([tokens])
    value = 0
    for _ in range(layers):
        normal = net.step(tokens, value)
        query, key, values = (net.step(tokens, normal) for _ in range(3))
        scores = net.step(3 * 197 * 197 * 4, net.step(3 * 197 * 197 * 4, query, key), in_place=True)
        mixed = net.step(tokens, net.step(tokens, scores, values))
        value = net.step(tokens, value, mixed, in_place=True)
        wide = net.step(4 * tokens, net.step(tokens, value))
        value = net.step(tokens, value, net.step(tokens, wide), in_place=True)
    return net


def lifetimes(net: Builder, order: list[int], align: int = 64) -> tuple[list[Buffer], list[InPlace]]:
    """The buffers of `net` executed in `order`, and the in-place pairs that this order leaves."""
    first, last = {0: 0}, {0: 0}
    for at, number in enumerate(order):
        step = net.steps[number]
        for value in step.writes:
            first[value] = last[value] = at
        for value in step.reads:
            last[value] = at
    last[len(net.sizes) - 1] = len(order)
    buffers = [Buffer(f"v{v}", size, align, first[v], last[v]) for v, size in enumerate(net.sizes)]
    pairs = [
        InPlace(f"v{out}", f"v{read}")
        for step in net.steps
        for out, read in step.in_place
        if last[read] == first[out] and read != out
    ]
    return buffers, pairs
