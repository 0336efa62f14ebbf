"""The options of a compilation, the same for every command that compiles: a new one is added in `gather`, once."""

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from s2s.cli import options as common

if TYPE_CHECKING:
    from s2s.options import CompileOptions

Options = Callable[[str], "CompileOptions"]
"""The options of a compilation, for the target to take where the user names none."""


def gather(
    target: Annotated[
        str | None,
        typer.Option(metavar="TARGET", help="What the C is tuned for: `host`, `c` for any, `cortex-m4`, …"),
    ] = None,
    executor: Annotated[
        Literal["aot", "graph"], typer.Option(help="A function that calls the kernels, or tables that are walked.")
    ] = "aot",
    name: common.Name = None,
    weights: Annotated[
        Literal["auto", "arrays", "incbin"], typer.Option(help="Weights as C arrays or as one file; `auto` by size.")
    ] = "auto",
    shape: common.Shapes = None,
    schedule: Annotated[
        Literal["default", "reference"], typer.Option(help="Tuned loops, or one plain loop nest for each operator.")
    ] = "default",
    io: Annotated[
        Literal["arena", "caller"] | None,
        typer.Option(help="Room for inputs and outputs in the arena, or none; by default as the target has it."),
    ] = None,
    poison: Annotated[
        bool, typer.Option("--poison", help="A debug build that fills what is dead in the arena before each kernel.")
    ] = False,
    tflite_rounding: Annotated[
        Literal["micro", "reference"],
        typer.Option(help="Fully connected layers of TFLite models: round twice, as TFLite-Micro, or once, as TFLite."),
    ] = "micro",
    requantise: Annotated[
        Literal["float", "fixed"],
        typer.Option(help="Sums of quantised ONNX models: scaled in floats, as ONNX says, or in fixed point."),
    ] = "float",
    profile: Annotated[
        Literal["default", "misra"],
        typer.Option(help="The coding standard that the C keeps to: none, or MISRA C:2012."),
    ] = "default",
    flash_budget: Annotated[
        int | None, typer.Option(metavar="BYTES", help="Refuse a network that takes more flash, code and constants.")
    ] = None,
    stack_budget: Annotated[
        int | None, typer.Option(metavar="BYTES", help="Refuse a network whose run function takes more stack.")
    ] = None,
) -> Options:
    """The options as the library wants them."""

    def compile_options(default_target: str) -> "CompileOptions":
        from s2s.options import CompileOptions

        return CompileOptions(
            target=target if target is not None else default_target,
            executor=executor,
            name=name,
            weights=weights,
            shapes=common.parse_shapes(shape),
            schedule=schedule,
            io=io,
            poison=poison,
            tflite_rounding=tflite_rounding,
            profile=profile,
            requantise=requantise,
            flash_budget=flash_budget,
            stack_budget=stack_budget,
        )

    return compile_options


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
