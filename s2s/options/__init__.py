"""The options of a compilation: the users' (`s2s.options.user`), and the ones that searches and pass contexts set."""

from s2s.decisions.names import LINE_BUFFERS
from s2s.options.declaration import option, options_class
from s2s.options.passes import DebugOptions as DebugOptions
from s2s.options.passes import PassOptions as PassOptions
from s2s.options.passes import passes_of
from s2s.options.user import UserOptions as UserOptions
from s2s.options.values import DECIDING
from s2s.options.values import MAX_THREADS as MAX_THREADS
from s2s.options.values import PROFILES as PROFILES
from s2s.options.values import Activations as Activations
from s2s.options.values import Cache as Cache
from s2s.options.values import CacheType as CacheType
from s2s.options.values import CInterface as CInterface
from s2s.options.values import Executor as Executor
from s2s.options.values import Io as Io
from s2s.options.values import Profile as Profile
from s2s.options.values import Requantise as Requantise
from s2s.options.values import Schedule as Schedule
from s2s.options.values import Threading as Threading
from s2s.options.values import WeightForm as WeightForm


@options_class
class CompileOptions(UserOptions):
    """The options of `s2s.compile`, and options that searches and pass contexts set."""

    scratch: int | None = option(default=None, stages=("tensor",))
    """Elements that a window copied to scratch may take; a budget of RAM sets it."""
    transformed: int | None = option(default=None, stages=("compute",))
    """Bytes of flash that the filters of Winograd convolutions may take beyond the filters of direct ones; budgets set
    it."""
    transformed_ram: int | None = option(default=None, stages=("compute",))
    """Bytes of RAM that a Winograd convolution may take with its result; a budget of RAM sets it."""
    line_buffers: tuple[tuple[int, int], ...] = option(
        default=(),
        stages=("graph",),
        flags=("--decisions",),
        refused=(
            (
                lambda options: bool(options.devices),
                f"{LINE_BUFFERS}: a network in line buffers runs on one device; leave --devices out",
            ),
        ),
    )
    """Sections of operators that run row by row in line buffers: first and last operator, as `graph-buffer-sections`
    takes them; a budget of RAM sets them."""
    by_rows: bool = option(default=False, stages=("simplify",))
    """Lay images channels last, so that their rows lie one after the other; a budget of RAM sets it for line
    buffers."""
    explain: bool = option(default=False, stages=DECIDING)
    """Record with every decision all its alternatives, not only the compared ones."""
    passes: PassOptions = option(default=None, converter=passes_of, stages=("settle", *DECIDING))
