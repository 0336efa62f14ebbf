"""Random networks by number: the same ones in every run, many side by side in one module."""

from random import Random

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from s2s.types.weights import WeightStore
from support.random_networks import KINDS, NetworkBuilder, extend

MAX_LENGTH = 14


def seeded_networks(seeds: range) -> tuple[ModuleOp, WeightStore]:
    """One network for each seed, all on the same input; output `i` is that of seed `i`."""
    net = NetworkBuilder()
    outputs: list[SSAValue] = []
    for seed in seeds:
        random = Random(seed)
        net.values = [net.block.args[0]]
        for _ in range(random.randint(2, MAX_LENGTH)):
            recent = net.values[-4:]
            extend(net, random.choice(KINDS), random.choice(recent), random.choice(recent), random.randrange(12))
        outputs.append(net.values[-1])
    return net.module(outputs), net.weights
