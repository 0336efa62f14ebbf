# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false
"""Factors of matrices and systems of equations, against torch in doubles."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, linalg

from s2s import api
from s2s.errors import UnsupportedError
from s2s.frontends import torch as frontend
from s2s.interpret.graph import run_graph
from support.torch_calls import Calls


def positive(*shape: int) -> Tensor:
    x = torch.randn(*shape, generator=torch.Generator().manual_seed(1))
    return x @ x.mT + torch.eye(shape[-1])


def general(*shape: int) -> Tensor:
    """Matrices whose rows have to change places: the first pivots are zeros."""
    x = torch.randn(*shape, generator=torch.Generator().manual_seed(2))
    x[..., 0, 0] = 0
    return x


RIGHT = torch.randn(3, 6, 2, generator=torch.Generator().manual_seed(3))
CASES: dict[str, tuple[Callable[[Tensor], Any], Tensor]] = {
    "cholesky": (linalg.cholesky, positive(5, 5)),
    "upper": (lambda a: linalg.cholesky(a, upper=True), positive(3, 6, 6)),
    "by the old name": (torch.cholesky, positive(4, 4)),
    "without a check": (lambda a: linalg.cholesky_ex(a).L, positive(4, 4)),
    "of one row": (linalg.cholesky, positive(1, 1)),
    "from a factor": (lambda a: torch.cholesky_solve(RIGHT, linalg.cholesky(a)), positive(3, 6, 6)),
    "lower": (lambda a: linalg.solve_triangular(a, RIGHT, upper=False), positive(3, 6, 6)),
    "upper, ones": (lambda a: linalg.solve_triangular(a / 9, RIGHT, upper=True, unitriangular=True), positive(6, 6)),
    "right": (lambda a: linalg.solve_triangular(a, RIGHT.mT, upper=True, left=False), positive(6, 6)),
    "solve": (lambda a: linalg.solve(a, RIGHT), general(3, 6, 6)),
    "solve for all": (lambda a: linalg.solve(a, RIGHT), general(6, 6)),
    "solve from the right": (lambda a: linalg.solve(a, RIGHT.mT, left=False), general(3, 6, 6)),
    "solve for a vector": (lambda a: linalg.solve(a, RIGHT[0, :, 0]), general(6, 6)),
    "solve for vectors": (lambda a: linalg.solve(a, RIGHT[..., 0]), general(3, 6, 6)),
    "inverse": (linalg.inv, general(2, 5, 5)),
    "inverse of one row": (torch.inverse, general(1, 1) + 2),
    "inverse without a check": (lambda a: linalg.inv_ex(a).inverse, general(7, 7)),
    "of 32 rows": (linalg.inv, general(32, 32)),
}


@pytest.mark.parametrize("name", CASES)
def test_systems_are_solved_as_by_torch(name: str):
    function, x = CASES[name]
    imported = frontend.import_model(frontend.load_model(frontend.export(Calls(function), [x])))
    (found,) = run_graph(imported.module, [x.numpy()], imported.weights)
    wanted = function(x).numpy()
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
    np.testing.assert_allclose(found, wanted, rtol=2e-3, atol=1e-4 * np.abs(wanted).max())


def test_a_system_is_solved_in_c():
    function, x = CASES["solve"]
    artifact = api.compile(frontend.export(Calls(function), [x]), target="c")
    (found,) = artifact.run({"x": x.numpy()}).values()
    np.testing.assert_allclose(found, function(x).numpy(), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize(
    ("function", "rows", "message"),
    [
        (linalg.inv, 33, "a matrix has 33 rows; give a constant number of at most 32"),
        (lambda a: linalg.inv_ex(a).info, 4, "says whether there is a result; check the result"),
    ],
    ids=["large", "errors"],
)
def test_what_is_not_computed_is_refused(function: Callable[[Tensor], Any], rows: int, message: str):
    with pytest.raises(UnsupportedError, match=message):
        frontend.import_model(frontend.load_model(frontend.export(Calls(function), [positive(rows, rows)])))
