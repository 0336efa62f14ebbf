"""An operator of another package is found by its entry point, interpreted, fused and lowered like our own."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2s.errors import InputError
from s2s.interpret.graph.evaluate import MEANINGS
from s2s.passes import operators
from s2s.passes.graph.lower_to_tensor import PATTERNS
from s2s.tvm import relay
from s2s.tvm.relay import IRModule, build
from s2s.tvm.relay.graph_calls import call


@pytest.fixture
def snake(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The package, installed as far as entry points go."""
    monkeypatch.setattr(sys, "path", [str(Path(__file__).parent / "snake_package"), *sys.path])
    import snake  # pyright: ignore[reportMissingImports]

    module: Any = snake  # pyright: ignore[reportUnknownVariableType]

    def installed(group: str) -> list[Any]:
        return [module.POINT] if group == "s2s.operators" else []

    monkeypatch.setattr(operators, "entry_points", installed)
    operators.load_operators.cache_clear()
    yield module
    MEANINGS.pop(module.SnakeOp, None)
    PATTERNS[:] = [each for each in PATTERNS if not isinstance(each, module.LowerSnake)]
    operators.load_operators.cache_clear()
    sys.modules.pop("snake")


def test_it_is_compiled_into_one_kernel_with_its_neighbours(snake: Any):
    x = relay.var("x", shape=(2, 5))
    mod = IRModule.from_expr(call(snake.SnakeOp, x * 2.0) + 1.0)
    artifact = build(mod, target="c", executor="aot").artifact
    assert artifact.report().kernels == 1
    value = np.linspace(-3, 3, 10, dtype=np.float32).reshape(2, 5)
    [found] = artifact.run({"x": value}).values()
    np.testing.assert_allclose(found, 2 * value + np.sin(2 * value) ** 2 + 1, rtol=1e-5, atol=1e-6)


def test_an_operator_is_registered_once(snake: Any):
    operators.load_operators()
    with pytest.raises(InputError, match=r"register_operator: snake.snake is registered already"):
        snake.register()
