# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false, reportUnknownLambdaType=false, reportMissingParameterType=false
"""`cond`, `while_loop`, `scan` and `map` of torch: right numbers in C, by branches and loops that are not unrolled."""

import copy
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch._higher_order_ops import map as torch_map
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop
from torch.utils import _pytree as pytree

from s2s import api
from s2s.dialects import graph
from s2s.frontends import torch as frontend


class Branch(nn.Module):
    """One of two formulas, by the sign of a sum."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.cond(x.sum() > 0, lambda x: x * 2, lambda x: (x - 1).cumsum(0), (x,))


class Grow(nn.Module):
    """Steps until a limit that the data decide on."""

    def forward(self, x: Tensor, limit: Tensor) -> Any:
        def below(count: Tensor, y: Tensor) -> Tensor:
            return (y.sum() < limit) & (count < 50)

        return while_loop(below, lambda count, y: (count + 1, y * 1.5 + 0.1), (torch.tensor(0), x))


class Cell(nn.Module):
    """A recurrent cell, along the first dimension, forward or backward."""

    def __init__(self, reverse: bool = False) -> None:
        super().__init__()
        self.weight, self.reverse = nn.Parameter(torch.randn(3, 3) * 0.3), reverse

    def forward(self, x: Tensor) -> Any:
        def step(state: Tensor, part: Tensor) -> tuple[Tensor, Tensor]:
            state = torch.tanh(state @ self.weight + part)
            return state, state * 2

        return scan(step, torch.zeros(2, 3), x, dim=0, reverse=self.reverse)


class Each(nn.Module):
    """A formula for each slice, with an operand that all slices read."""

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        mapped: Any = torch_map
        return mapped(lambda part, other: torch.relu(part * other).sum(0), x, y)


CASES = {
    "cond, true": (Branch(), [torch.tensor([1.0, 2.0, -0.5])]),
    "cond, false": (Branch(), [torch.tensor([-1.0, 0.2, -0.5])]),
    "while_loop, many steps": (Grow(), [torch.tensor([0.3, 0.1, 0.2]), torch.tensor(20.0)]),
    "while_loop, no step": (Grow(), [torch.tensor([0.3, 0.1, 0.2]), torch.tensor(0.0)]),
    "scan": (Cell(), [torch.randn(6, 2, 3)]),
    "scan, backward": (Cell(reverse=True), [torch.randn(6, 2, 3)]),
    "map": (Each(), [torch.randn(4, 5, 2), torch.randn(2)]),
}


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", CASES)
def test_c_gives_what_torch_gives(name: str):
    module, inputs = CASES[name]
    program = frontend.export(copy.deepcopy(module).eval(), inputs)
    wanted = [each.detach().numpy() for each in pytree.tree_leaves(module(*inputs))]
    with api.compile(program, target="c") as artifact:
        given = zip(artifact.info.inputs, inputs, strict=True)
        found = artifact.run({port.name: each.numpy() for port, each in given})
        for ours, theirs in zip(found.values(), wanted, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("module", "kind", "few", "many"),
    [
        (Cell(), graph.ScanOp, [torch.zeros(2, 2, 3)], [torch.zeros(90, 2, 3)]),
        (Each(), graph.ScanOp, [torch.zeros(2, 5, 2), torch.zeros(2)], [torch.zeros(90, 5, 2), torch.zeros(2)]),
        (Grow(), graph.WhileOp, [torch.zeros(3), torch.tensor(1.0)], [torch.zeros(3), torch.tensor(1e6)]),
    ],
)
def test_loops_are_not_unrolled(module: nn.Module, kind: type, few: list[Tensor], many: list[Tensor]):
    counts: list[int] = []
    for inputs in (few, many):
        program = frontend.export(module.eval(), inputs)
        ops = list(frontend.import_model(frontend.load_model(program)).module.walk())
        assert sum(isinstance(op, kind) for op in ops) == 1
        counts.append(len(ops))
    assert counts[0] == counts[1]


def test_a_condition_that_is_known_leaves_one_branch():
    class Known(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return torch.cond(torch.tensor(True), lambda x: x * 2, lambda x: x - 1, (x,))

    program = frontend.export(Known(), [torch.ones(3)])
    ops = frontend.import_model(frontend.load_model(program)).module.walk()
    assert not any(isinstance(op, graph.IfOp) for op in ops)


class Weighted(nn.Module):
    """A parameter that each of the four operators reads inside of its graphs."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(3, 3) * 0.3)

    def forward(self, x: Tensor) -> Any:
        def below(y: Tensor) -> Tensor:
            return (y @ self.weight).sum() < 4

        mapped: Any = torch_map
        (grown,) = while_loop(below, lambda y: (y + 1 + (y @ self.weight) * 0,), (x[0],))
        last, _ = scan(lambda state, part: (torch.tanh(state @ self.weight + part), part * 2), x[0], x, dim=0)
        chosen = torch.cond(x.sum() > 0, lambda y: y @ self.weight, lambda y: y @ self.weight + 1, (last,))
        return grown, chosen, mapped(lambda part, weight: part @ weight, x, self.weight)


def test_constants_are_constants_inside():
    program = frontend.export(Weighted().eval(), [torch.randn(4, 2, 3)])
    ops = list(frontend.import_model(frontend.load_model(program)).module.walk())
    runs = [op for op in ops if isinstance(op, graph.ScanOp | graph.IfOp | graph.WhileOp)]
    assert len(runs) == 4
    assert not [op for op in runs for operand in op.operands if isinstance(operand.owner, graph.WeightOp)]
