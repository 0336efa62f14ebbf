"""`torch.compile` with the backend does what torch does: inputs of other kinds, modes, threads and errors."""
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

import logging
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.testing._internal.two_tensor import TwoTensor

from s2s.options import CompileOptions
from s2s.torch_backend import compile_graph, graph
from s2s.torch_backend.network import Network

BACKEND = partial(compile_graph, target="c")


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Forget graphs of other tests."""
    torch.compiler.reset()
    torch.manual_seed(0)
    with torch.no_grad():
        yield


def compiled(module: Any) -> Any:
    return torch.compile(module, backend=BACKEND)


# ------------------------------------------------------------------- kinds of tensors


class Held(nn.Module):
    """A module with a tensor, and what it does with that and its input."""

    held: Tensor

    def __init__(self, held: Tensor, function: Callable[[Tensor, Tensor], Tensor]) -> None:
        super().__init__()
        self.register_buffer("held", held)
        self.function = function

    def forward(self, x: Tensor) -> Tensor:
        return self.function(self.held, x)


HELD: dict[str, Callable[[], Held]] = {
    "of another class": lambda: Held(TwoTensor(torch.ones(4, 4), torch.ones(4, 4)), torch.add),
    "sparse": lambda: Held(torch.eye(4).to_sparse(), torch.sparse.mm),
    "of rows": lambda: Held(torch.eye(4).to_sparse_csr(), torch.matmul),
    "quantised": lambda: Held(
        torch.quantize_per_tensor(torch.ones(4), 0.1, 0, torch.qint8), lambda held, x: x + held.dequantize()
    ),
    "complex": lambda: Held(torch.ones(4, dtype=torch.complex64), torch.mul),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", HELD)
def test_tensors_that_are_more_than_their_elements_are_left_to_torch(name: str):
    module, x = HELD[name](), torch.rand(4, 4)
    found, expected = compiled(module)(x), module(x)
    assert type(found) is type(expected)
    if isinstance(found, TwoTensor):
        found, expected = found.b, expected.b
    torch.testing.assert_close(found, expected)


def test_parameters_that_share_memory_in_one_call_only():
    """An output that is a view of the second one is that, whatever the first one shares."""

    class Both(nn.Module):
        a: Tensor
        b: Tensor

        def __init__(self) -> None:
            super().__init__()
            memory = torch.arange(32.0)
            self.register_buffer("a", memory[:16].view(4, 4))
            self.register_buffer("b", memory[8:24].view(4, 4))

        def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
            return x @ self.a, self.b.t()

    module, x = Both(), torch.rand(2, 4)
    fast = compiled(module)
    torch.testing.assert_close(fast(x), module(x))
    module.a = module.a.clone()
    torch.testing.assert_close(fast(x), module(x))
    module.a, module.b = module.b, torch.rand(4, 4)
    torch.testing.assert_close(fast(x), module(x))


# ------------------------------------------------------------------- changes, views, modes


def test_a_parameter_that_the_graph_changes_is_no_constant(monkeypatch: pytest.MonkeyPatch):
    class Decays(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.ones(4))

        def forward(self, x: Tensor) -> Tensor:
            self.weight.mul_(0.5)
            return x * self.weight

    network, count = graph.Network, list[object]()

    def counted(*arguments: Any) -> Any:
        count.append(arguments)
        return network(*arguments)

    monkeypatch.setattr(graph, "Network", counted)
    module, reference, x = Decays(), Decays(), torch.rand(4)
    fast = compiled(module)
    for _ in range(4):
        torch.testing.assert_close(fast(x), reference(x))
        torch.testing.assert_close(module.state_dict(), reference.state_dict())
    assert len(count) == 1


def test_an_output_may_repeat_elements():
    def function(x: Tensor) -> tuple[Tensor, ...]:
        y = x.sum(1, keepdim=True)
        return y, y.expand(3, 4), (x + 1)[:, :1].expand(-1, 5).t()

    x = torch.rand(3, 5)
    found, expected = compiled(function)(x), function(x)
    torch.testing.assert_close(found, expected)
    assert [each.stride() for each in found] == [each.stride() for each in expected]


def test_a_network_of_inference_mode_serves_outside():
    function = functional.silu
    fast, plain = compiled(function), torch.rand(3, 4)
    with torch.inference_mode():
        inner = torch.rand(3, 4)
        for x in (plain, inner):
            torch.testing.assert_close(fast(x), function(x))
            assert fast(x).is_inference()
    for x in (plain, inner):
        torch.testing.assert_close(fast(x), function(x))
        assert not fast(x).is_inference()


def test_a_graph_may_record_gradients_by_itself():
    def function(x: Tensor) -> Tensor:
        with torch.enable_grad():
            return x * 2

    x = torch.rand(3, requires_grad=True)
    assert compiled(function)(x).requires_grad


# ------------------------------------------------------------------- errors


def test_an_index_out_of_range_is_the_error_of_torch():
    module = nn.Embedding(7, 3)
    fast = compiled(module)
    good = torch.tensor([1, 6])
    for bad in ([1, 7], [-1, 2]):
        torch.testing.assert_close(fast(good), module(good))
        with pytest.raises(IndexError):
            fast(torch.tensor(bad))


def test_an_input_keeps_its_values_when_the_graph_fails():
    def function(x: Tensor, place: Tensor) -> Tensor:
        y = x[place]
        x.add_(1)
        return y

    fast, x = compiled(function), torch.zeros(4)
    fast(x, torch.tensor([1]))
    with pytest.raises(IndexError):
        fast(x, torch.tensor([4]))
    assert x.tolist() == [1.0] * 4


# ------------------------------------------------------------------- threads


def test_threads_that_compile_and_run_at_once(caplog: pytest.LogCaptureFixture):
    module = nn.Linear(8, 8).eval()
    fast = compiled(module)

    def differs(seed: int) -> bool:
        with torch.no_grad():
            x = torch.rand(1 + seed % 3, 8, generator=torch.Generator().manual_seed(seed))
            return not torch.allclose(fast(x), module(x), atol=1e-5)

    with caplog.at_level(logging.WARNING, "s2s"), ThreadPoolExecutor(4) as pool:
        assert not any(pool.map(differs, range(40)))
    assert not [each for each in caplog.records if "run by torch" in each.getMessage()]


def test_threads_run_while_another_one_exports():
    """torch's flag of an export is one for all threads; the wrappers of compiled graphs look at it."""
    module = nn.Linear(8, 8).eval()
    fast, x = compiled(module), torch.rand(2, 8)
    answers: list[bool] = []

    def run() -> None:
        answers.append(torch.compiler.is_exporting())
        with torch.no_grad():
            answers.append(not torch.allclose(fast(x), module(x), atol=1e-5))

    def graph(value: Tensor) -> tuple[Tensor]:
        if torch.compiler.is_exporting():
            with ThreadPoolExecutor(1) as pool:
                pool.submit(run).result()
        return (value + 1,)

    with torch.no_grad():
        fast(x)
        network = Network(graph, [x], [], CompileOptions())
    assert answers
    assert not any(answers)
    assert not torch.compiler.is_exporting()
    torch.testing.assert_close(network([x]), (x + 1,))
