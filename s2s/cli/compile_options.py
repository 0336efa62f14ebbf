"""The options of a compilation, shared by all commands that compile: add a new one to `gather`."""

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from s2s.cli import options as common

if TYPE_CHECKING:
    from s2s.options import CompileOptions

Options = Callable[[str], "CompileOptions"]
"""The options of a compilation, for the target to take where the user names none."""


def gather(
    target: common.Target = None,
    executor: common.ExecutorName = "aot",
    name: common.Name = None,
    weights: common.Weights = "auto",
    shape: common.Shapes = None,
    bind: common.Bindings = None,
    dim: common.Dims = None,
    state: common.States = None,
    untrusted: common.Untrusted = False,
    trust_model: common.TrustModel = False,
    schedule: common.ScheduleName = "default",
    io: common.Io = None,
    ram_budget: common.RamBudget = None,
    exact: common.Exact = False,
    threads: common.Threads = 1,
    threading: common.Threading = "pthreads",
    decisions: common.Decisions = None,
    records: common.Records = None,
    no_records: common.NoRecords = False,
    external: common.External = None,
    pool: common.PoolSizes = None,
    poison: common.Poison = False,
    tflite_rounding: common.TfliteRounding = "micro",
    requantise: common.Requantise = "float",
    profile: common.Profile = "default",
    flash_budget: common.FlashBudget = None,
    stack_budget: common.StackBudget = None,
) -> Options:
    """Collect the command-line options into `CompileOptions`."""
    from s2s.options import CompileOptions

    return lambda default_target: CompileOptions(
        target=target if target is not None else default_target,
        executor=executor,
        name=name,
        weights=weights,
        shapes=common.parse_shapes(shape),
        **common.parse_specialisation(bind, dim),
        states=common.parse_states(state),
        untrusted=untrusted,
        trust_model=trust_model,
        schedule=schedule,
        io=io,
        ram_budget=common.parse_budget(ram_budget),
        exact=exact,
        threads=threads,
        threading=threading,
        **common.parse_choices(decisions, records, no_records=no_records),
        external=common.parse_external(external),
        pools=common.pools_of(pool),
        poison=poison,
        tflite_rounding=tflite_rounding,
        profile=profile,
        requantise=requantise,
        flash_budget=flash_budget,
        stack_budget=stack_budget,
    )


def with_compile_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give `command` the parameters of `gather` in place of its own parameter `compiling`, which gets their result."""
    shared = inspect.signature(gather).parameters
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        parameters += shared.values() if parameter.name == "compiling" else [parameter]

    @functools.wraps(command)
    def wrapper(**values: Any) -> None:
        compiling = gather(**{name: values.pop(name) for name in shared})
        command(**values, compiling=compiling)

    setattr(wrapper, "__signature__", inspect.Signature(parameters))  # noqa: B010
    wrapper.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return wrapper
