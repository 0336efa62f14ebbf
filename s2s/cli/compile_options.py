"""The options of a compilation, shared by all commands that compile: add a new one to `OPTIONS` and `gather`."""

import functools
import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from s2s.cli import options as common

if TYPE_CHECKING:
    from s2s.options import CompileOptions

Options = Callable[[str], "CompileOptions"]
"""The options of a compilation, for the target to take where the user names none."""


OPTIONS = (
    common.target,
    common.executor,
    common.name,
    common.weights,
    common.shapes,
    common.bindings,
    common.dims,
    common.states,
    common.streams,
    common.untrusted,
    common.trust_model,
    common.schedule,
    common.io,
    common.ram_budget,
    common.exact,
    common.threads,
    common.threading,
    common.decisions,
    common.records,
    common.no_records,
    common.external,
    common.pools,
    common.devices,
    common.poison,
    common.tflite_rounding,
    common.requantise,
    common.activations,
    common.cache,
    common.profile,
    common.flash_budget,
    common.stack_budget,
)
"""The options, in the order in which the help shows them."""


def gather(
    target: str | None,
    executor: Literal["aot", "graph"],
    name: str | None,
    weights: Literal["auto", "arrays", "incbin"],
    shape: Sequence[str],
    bind: Sequence[str],
    dim: Sequence[str],
    state: Sequence[str],
    stream: Sequence[str],
    untrusted: bool,
    trust_model: bool,
    cache: Literal["float32", "float16", "int8", "float32-ring", "float16-ring", "int8-ring"],
    schedule: Literal["default", "reference"],
    io: Literal["caller", "arena"] | None,
    ram_budget: str | None,
    exact: bool,
    threads: int,
    threading: Literal["pthreads", "openmp"],
    decisions: Path | None,
    records: Path | None,
    no_records: bool,
    external: Sequence[str],
    pool: Sequence[str],
    devices: str | None,
    poison: bool,
    tflite_rounding: Literal["micro", "reference"],
    requantise: Literal["float", "fixed"],
    activations: Literal["model", "float", "int8-blocks"],
    profile: Literal["default", "misra"],
    flash_budget: int | None,
    stack_budget: int | None,
) -> Options:
    """Collect the command-line options into `CompileOptions`."""
    from s2s.options import CompileOptions, budgets, reading

    return lambda default_target: CompileOptions(
        target=target if target is not None else default_target,
        executor=executor,
        name=name,
        weights=weights,
        shapes=common.parse_shapes(shape),
        **common.parse_specialisation(bind, dim),
        **reading(*common.parse_carried(state, stream), untrusted=untrusted, trust_model=trust_model, cache=cache),
        schedule=schedule,
        io=io,
        **budgets(common.parse_budget(ram_budget), flash_budget, stack_budget),
        exact=exact,
        threads=threads,
        threading=threading,
        **common.parse_choices(decisions, records, no_records=no_records),
        external=common.parse_external(external),
        pools=common.pools_of(pool),
        devices=common.devices_of(devices),
        poison=poison,
        tflite_rounding=tflite_rounding,
        profile=profile,
        requantise=requantise,
        activations=activations,
    )


def with_compile_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give `command` the options of a compilation; it gets what `gather` returns as its parameter `compiling`."""
    names = inspect.signature(gather).parameters

    @functools.wraps(command)
    def wrapper(**values: Any) -> None:
        compiling = gather(**{name: values.pop(name) for name in names})
        command(**values, compiling=compiling)

    return functools.reduce(lambda decorated, option: option(decorated), reversed(OPTIONS), wrapper)
