"""`torch.compile` with the backend keeps what torch promises: weights, changes in place, views, gradients."""
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

import gc
import logging
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from s2s.torch_backend import compile_graph, network
from support.heap import set_aside


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Forget graphs of other tests."""
    torch.compiler.reset()
    torch.manual_seed(0)
    with torch.no_grad():
        yield


@pytest.fixture
def compiled_count(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """How many networks were compiled."""
    compile_artifact, made = network.compile_artifact, list[object]()

    def counted(*arguments: Any) -> Any:
        made.append(arguments)
        return compile_artifact(*arguments)

    monkeypatch.setattr(network, "compile_artifact", counted)
    return lambda: len(made)


BACKEND = partial(compile_graph, target="c")
"""One backend: torch then calls one graph for all modules that are alike."""
FREEZING = partial(compile_graph, target="c", freezing=True)


def compiled(module: Any, backend: Any = BACKEND) -> Any:
    return torch.compile(module, backend=backend)


def x() -> Tensor:
    return torch.linspace(-1, 1, 8).reshape(2, 4)


# ------------------------------------------------------------------- weights


def test_modules_with_equal_graphs_have_their_own_weights(compiled_count: Callable[[], int]):
    layers = [nn.Linear(4, 4).eval() for _ in range(3)]
    fast = [compiled(layer) for layer in layers]
    for _ in range(2):
        for layer, each in zip(layers, fast, strict=True):
            torch.testing.assert_close(each(x()), layer(x()))
    assert compiled_count() == 3


def test_a_module_that_calls_a_compiled_function_twice_with_its_parts():
    class Shared(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.parts = nn.ModuleList(nn.Linear(4, 4) for _ in range(2))

        def forward(self, x: Tensor) -> Tensor:
            for part in self.parts:
                x = torch.relu(part(x))
            return x

    module = Shared().eval()
    expected = module(x())
    for part in module.parts:
        part.compile(backend=BACKEND)
    torch.testing.assert_close(module(x()), expected)


def test_a_module_takes_no_network_of_one_that_was_freed():
    set_aside()
    for seed in range(4):
        torch.manual_seed(seed)
        layer = nn.Linear(4, 4).eval()
        torch.testing.assert_close(compiled(layer)(x()), layer(x()))
        del layer
        gc.collect()


def _by_optimiser(layer: nn.Linear) -> None:
    optimiser = torch.optim.SGD(layer.parameters(), lr=0.5)
    with torch.enable_grad():
        layer(x()).sum().backward()
    optimiser.step()


def _by_numpy(layer: nn.Linear) -> None:
    layer.weight.numpy()[0, 0] = 7


def _by_another_tensor(layer: nn.Linear) -> None:
    layer.weight.data = torch.ones(4, 4)


def _by_another_parameter(layer: nn.Linear) -> None:
    layer.weight = nn.Parameter(torch.ones(4, 4))


CHANGES: dict[str, Callable[[nn.Linear], object]] = {
    "in place": lambda layer: layer.weight.mul_(2),
    "data": lambda layer: layer.weight.data.zero_(),
    "signs of data": lambda layer: layer.weight.data.neg_(),
    "one element of data": lambda layer: layer.weight.data[3, 3].neg_(),
    "order of data": lambda layer: layer.weight.data.copy_(layer.weight.data.flip(0)),
    "another tensor": _by_another_tensor,
    "another parameter": _by_another_parameter,
    "strides": lambda layer: setattr(layer.weight, "data", layer.weight.data.t().contiguous().t()),
    "transposed": lambda layer: setattr(layer.weight, "data", layer.weight.data.t()),
    "optimiser": _by_optimiser,
    "state": lambda layer: layer.load_state_dict(nn.Linear(4, 4).state_dict()),
    "copy": lambda layer: layer.weight.copy_(torch.ones(4, 4)),
    "numpy": _by_numpy,
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_weights_that_change_count(change: Callable[[nn.Linear], object]):
    layer = nn.Linear(4, 4).eval()
    fast = compiled(layer)
    fast(x())
    change(layer)
    torch.testing.assert_close(fast(x()), layer(x()))


def test_weights_that_return_to_what_another_module_has_need_no_new_network(compiled_count: Callable[[], int]):
    first, second = nn.Linear(4, 4).eval(), nn.Linear(4, 4).eval()
    fast = [compiled(first), compiled(second)]
    torch.testing.assert_close([each(x()) for each in fast], [first(x()), second(x())])
    second.load_state_dict(first.state_dict())
    torch.testing.assert_close(fast[1](x()), first(x()))
    assert compiled_count() == 2


def test_with_freezing_weights_are_told_apart_by_identity():
    layers = [nn.Linear(4, 4).eval() for _ in range(2)]
    for layer in layers:
        torch.testing.assert_close(compiled(layer, FREEZING)(x()), layer(x()))
    before = layers[0](x())
    layers[0].weight.data.zero_()
    torch.testing.assert_close(compiled(layers[0], FREEZING)(x()), before)


# ------------------------------------------------------------------- changes in place


def test_a_buffer_that_changes_becomes_an_input(compiled_count: Callable[[], int]):
    class Counter(nn.Module):
        step: Tensor

        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("step", torch.zeros(4))

        def forward(self, x: Tensor) -> Tensor:
            return x + self.step

    module = Counter()
    fast = compiled(module)
    for number in range(5):
        module.step.fill_(number)
        torch.testing.assert_close(fast(x()), x() + number)
    assert compiled_count() == 2


def test_statistics_of_training_are_those_of_torch():
    module, reference = nn.BatchNorm1d(4).train(), nn.BatchNorm1d(4).train()
    fast = compiled(module)
    for number in range(3):
        torch.testing.assert_close(fast(x() + number), reference(x() + number))
    torch.testing.assert_close(module.state_dict(), reference.state_dict())


def test_a_cache_that_the_graph_writes_holds_what_it_wrote():
    class Cached(nn.Module):
        cache: Tensor

        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("cache", torch.zeros(6, 4))

        def forward(self, x: Tensor, place: Tensor) -> Tensor:
            self.cache.index_copy_(0, place, x)
            return self.cache.sum(0)

    module, reference = Cached(), Cached()
    fast = compiled(module)
    for places in ([0, 1], [2, 3], [1, 4]):
        torch.testing.assert_close(fast(x(), torch.tensor(places)), reference(x(), torch.tensor(places)))
        torch.testing.assert_close(module.cache, reference.cache)
    module.cache.zero_()
    torch.testing.assert_close(fast(x(), torch.tensor([0, 1])), x().sum(0))


def _adds(x: Tensor) -> Tensor:
    x.add_(1)
    return x * 2


def _adds_to_a_row(x: Tensor) -> Tensor:
    x[0].mul_(3)
    return x.sum()


@pytest.mark.parametrize("function", [_adds, _adds_to_a_row])
def test_an_input_that_is_changed_in_place_holds_the_new_values(function: Callable[[Tensor], Tensor]):
    fast, ours, theirs = compiled(function), x(), x()
    for _ in range(2):
        torch.testing.assert_close(fast(ours), function(theirs))
        torch.testing.assert_close(ours, theirs)


def test_an_input_that_shares_memory_with_one_that_is_changed():
    def function(x: Tensor, y: Tensor) -> Tensor:
        x.add_(1)
        return x * y

    fast, ours, theirs = compiled(function), x(), x()
    torch.testing.assert_close(fast(ours, x()), function(theirs, x()))
    torch.testing.assert_close(fast(ours, ours[:]), function(theirs, theirs[:]))
    torch.testing.assert_close(ours, theirs)


# ------------------------------------------------------------------- outputs


def test_an_output_that_is_a_view_of_an_input_is_one():
    def function(x: Tensor) -> tuple[Tensor, Tensor]:
        return x.view(-1)[2:], x + 1

    fast, given = compiled(function), x()
    view, _ = fast(given)
    view[0] = 7
    assert given[0, 2] == 7


def test_outputs_that_share_memory_share_it():
    def function(x: Tensor) -> tuple[Tensor, ...]:
        y = x * 2
        return y, y.t(), y[:, 1:], *torch.chunk(x + 1, 2)

    found, expected = compiled(function)(x()), function(x())
    for outputs in (found, expected):
        outputs[0].zero_()
        outputs[3].zero_()
    torch.testing.assert_close(found, expected)
    assert [each.stride() for each in found] == [each.stride() for each in expected]


def test_outputs_have_the_strides_of_torch():
    function: Callable[[Tensor], Tensor] = lambda x: (x * 2).transpose(0, 1)  # noqa: E731
    assert compiled(function)(x()).stride() == function(x()).stride()


# ------------------------------------------------------------------- types and modes


def test_a_module_of_bfloat16():
    module = nn.Sequential(nn.Linear(4, 4), nn.ReLU()).bfloat16().eval()
    given = x().bfloat16()
    torch.testing.assert_close(compiled(module)(given), module(given))


def test_autocast_around_and_without():
    module = nn.Linear(4, 4).eval()
    fast = compiled(module)
    for enabled in (False, True, False):
        with torch.autocast("cpu", torch.bfloat16, enabled=enabled):
            found, expected = fast(x()), module(x())
        assert found.dtype == expected.dtype
        torch.testing.assert_close(found, expected, rtol=1e-2, atol=1e-2)


def test_autocast_inside():
    class Inside(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(4, 4)

        def forward(self, x: Tensor) -> Tensor:
            with torch.autocast("cpu", torch.bfloat16):
                y = self.layer(x)
            return y.float() + x

    module = Inside().eval()
    torch.testing.assert_close(compiled(module)(x()), module(x()), rtol=1e-2, atol=1e-2)


def test_gradients_are_those_of_torch_with_one_warning(caplog: pytest.LogCaptureFixture):
    module = nn.Linear(4, 4)
    fast = compiled(module)
    with torch.enable_grad(), caplog.at_level(logging.WARNING, "s2s"):
        for _ in range(3):
            fast(x()).square().sum().backward()
    found = module.weight.grad
    module.weight.grad = None
    with torch.enable_grad():
        for _ in range(3):
            module(x()).square().sum().backward()
    torch.testing.assert_close(found, module.weight.grad)
    told = [record.getMessage() for record in caplog.records]
    assert told == [
        "torch.compile: a graph is run by torch: gradients are recorded; call it under torch.no_grad() for inference"
    ]


def test_inference_mode():
    module = nn.Sequential(nn.Linear(4, 4), nn.Softmax(-1)).eval()
    with torch.inference_mode():
        torch.testing.assert_close(compiled(module)(x()), module(x()))
        inner = nn.Linear(4, 4)
        torch.testing.assert_close(compiled(inner)(x()), inner(x()))


def test_whatever_fails_torch_runs_the_graph(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture):
    def fails(*_: object) -> None:
        raise TypeError("unexpected")

    monkeypatch.setattr(network, "compile_artifact", fails)
    with caplog.at_level(logging.WARNING, "s2s"):
        assert compiled(functional.relu)(torch.tensor([-1.0, 2.0])).tolist() == [0.0, 2.0]
    assert any("TypeError: unexpected; this is a bug of s2s" in record.getMessage() for record in caplog.records)
