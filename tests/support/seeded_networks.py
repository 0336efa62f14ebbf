"""Random networks by number: the same ones in every run, many side by side in one module."""

from random import Random

from xdsl.dialects.builtin import ModuleOp

from s2s.tvm.relay.expr import Expr
from s2s.types.weights import WeightStore
from support.random_networks import KINDS, Network, one_more

MAX_LENGTH = 14


def seeded_networks(seeds: range) -> tuple[ModuleOp, WeightStore]:
    """One network for each seed, all on the same input; output `i` is that of seed `i`."""
    net = Network()
    outputs: list[Expr] = []
    for seed in seeds:
        random = Random(seed)
        net.values = [net.x]
        for _ in range(random.randint(2, MAX_LENGTH)):
            recent = net.values[-4:]
            kind = random.choice(KINDS)
            net.values += one_more(net, kind, random.choice(recent), random.choice(recent), random.randrange(12))
        outputs.append(net.values[-1])
    return net.module(outputs)
