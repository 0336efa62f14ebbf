"""The options that say which passes run, and what is printed while they do."""

from dataclasses import field

from s2s.options import values
from s2s.options.declaration import option, options_class


@options_class
class DebugOptions:
    """What to print about a compilation while it runs; by default nothing."""

    print_ir_after: tuple[str, ...] = option(
        default=(),
        converter=values.names_of,
        help="Print the module after this pass, or after `all`.",
        group="Debug",
        is_expert=True,
        metavar="PASS",
        is_repeated=True,
    )
    """Names of passes after which the module is printed; `all` stands for every pass."""
    verify_each: bool = option(default=False, help="Verify after every pass.", group="Debug", is_expert=True)
    """Verify the module after every pass, not only at the end."""
    time_passes: bool = option(default=False, help="Time every pass.", group="Debug", is_expert=True)
    """Print how long each pass took."""
    stop_after: str | None = option(
        default=None,
        help="Print the module after this pass and write no tree.",
        group="Debug",
        is_expert=True,
        metavar="PASS",
    )
    """Leave out the passes that come after the first one of this name."""
    reproduce_with_weights: bool = option(
        default=False,
        help="If a pass fails, put the weights beside the file that repeats it.",
        group="Debug",
        is_expert=True,
    )
    """Write the weights that the module names to an `.npz` file beside the reproducer of an internal error."""


@options_class
class PassOptions:
    """The passes to run, as `s2s.tvm.transform.PassContext` sets them; by default passes up to level 3."""

    level: int = 3
    """Passes of higher optimisation levels are left out."""
    required: tuple[str, ...] = ()
    """Passes that run whatever their level."""
    disabled: tuple[str, ...] = ()
    """Passes that do not run."""
    fusion_depth: int = 256
    """The most operators in one kernel."""
    instruments: tuple[object, ...] = field(default=(), compare=False)
    """What looks on while passes run, each a `s2s.passes.instruments.PassInstrument`."""


def debug_of(given: DebugOptions | None) -> DebugOptions:
    """Return the options; None prints nothing."""
    if given is None:
        return DebugOptions()
    from s2s.types.forms import formed

    return formed("debug", given, DebugOptions, "give s2s.DebugOptions(…)")


def passes_of(given: PassOptions | None) -> PassOptions:
    """Return the options; None runs the passes up to level 3."""
    if given is None:
        return PassOptions()
    from s2s.types.forms import formed

    return formed("passes", given, PassOptions, "give PassOptions(…)")
