"""Options that cannot be are refused before anything runs."""

from typing import Any

import pytest

from s2s import api
from s2s.errors import InputError
from s2s.options import CompileOptions
from s2s.stages.check_options import check_options

REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "no such executor": ({"executor": "x"}, "--executor x: is not known; give aot or graph"),
    "no such schedule": ({"schedule": "fast"}, "--schedule fast: is not known; give default or reference"),
    "no such place": ({"io": "heap"}, "--io heap: is not known; give caller or arena"),
    "no such profile": ({"profile": "autosar"}, "--profile autosar: is not known; give default or misra"),
    "no such target": ({"target": "z80"}, "--target z80: there is no such target"),
    "budget in words": (
        {"ram_budget": "little"},
        "--ram-budget little: is no number of bytes; give one, as 16000",
    ),
    "negative budget": ({"ram_budget": -1}, "--ram-budget -1: no network takes that little"),
    "negative flash": ({"flash_budget": -1}, "--flash-budget -1: no network takes that little"),
    "negative stack": ({"stack_budget": -1}, "--stack-budget -1: no network takes that little"),
    "threads in words": ({"threads": "two"}, "--threads two: is not known; give a number"),
    "no threads": ({"threads": 0}, "--threads 0: give a number from 1 to 16"),
    "too many threads": ({"threads": 17}, "--threads 17: give a number from 1 to 16"),
    "one thread of OpenMP": ({"threading": "openmp"}, "--threading openmp: one thread needs none"),
    "threads without cores": ({"threads": 2, "target": "cortex-m4"}, "target cortex-m4 has no threads"),
    "threads of tables": ({"threads": 2, "executor": "graph"}, "--threads 2: the tables of executor graph call"),
    "threads in MISRA C": ({"threads": 2, "profile": "misra"}, "--threads 2: the pool of threads is not written to"),
    "tables in MISRA C": ({"profile": "misra", "executor": "graph"}, "--profile misra: the graph executor is"),
    "poison of tables": ({"poison": True, "executor": "graph"}, "--poison: the tables of executor graph call"),
    "arena of tables": ({"io": "arena", "executor": "graph"}, "--io arena: the tables of executor graph take"),
    "poison in words": ({"poison": "yes"}, "--poison yes: is not known; give True or False"),
}


@pytest.mark.parametrize(("options", "message"), REFUSED.values(), ids=REFUSED)
def test_options_are_refused_with_a_way_out(options: dict[str, Any], message: str):
    with pytest.raises(InputError) as caught:
        check_options(CompileOptions(**options))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"executor": "graph", "io": "caller"},
        {"profile": "misra", "ram_budget": 0},
        {"threads": 16, "threading": "openmp", "target": "x86-64-v3"},
        {"ram_budget": "min", "flash_budget": 1, "stack_budget": 1, "poison": True},
    ],
    ids=str,
)
def test_options_that_go_together_are_accepted(options: dict[str, Any]):
    check_options(CompileOptions(**options))


def test_options_are_checked_before_the_model_is_read():
    with pytest.raises(InputError, match="--executor x: is not known"):
        api.compile("there-is-no-such-file.onnx", executor="x")  # pyright: ignore[reportArgumentType]
