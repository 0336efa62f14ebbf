"""`PassContext`: the passes that run and the instruments that observe them, under TVM's name."""

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import replace
from types import TracebackType
from typing import Self, cast

from s2s.errors import InputError, UnsupportedError
from s2s.options import CompileOptions, PassOptions
from s2s.passes.instruments import PassInstrument, entered, left
from s2s.passes.levels import names_of

CONFIGS: Mapping[str, tuple[type, str]] = {
    "relay.FuseOps.max_depth": (int, "the most operators in one kernel"),
    "relay.backend.use_auto_scheduler": (bool, "schedules are searched by one tuner, so it must not be True"),
    "relay.backend.use_meta_schedule": (bool, "schedules are searched by one tuner, so it must not be True"),
    "relay.FuseOps.link_params": (bool, "weights are linked in any case"),
    "tir.disable_vectorize": (bool, "code is scalar, as for a target without vectors"),
    "tir.disable_assert": (bool, "the C checks nothing when it runs, in any case"),
    "tir.usmp.enable": (bool, "memory is planned in any case"),
    "tir.usmp.use_workspace_io": (bool, "inputs and outputs lie in the arena"),
}
"""The keys of a context's configuration, with type and meaning."""

_REFUSED = ("relay.backend.use_auto_scheduler", "relay.backend.use_meta_schedule")
_TYPE = "IntImm"
"""What TVM calls the type of each of them, numbers as well as truth values."""
_current: ContextVar[tuple["PassContext", ...]] = ContextVar("pass_contexts", default=())


class PassContext:
    """Selects the passes that run inside of the `with` block, and the instruments that observe them.

    A pass runs if it is not disabled, and required or of no higher level than `opt_level`. Passes have our names or
    TVM's. Without a context the compiler runs those up to level 3.
    """

    def __init__(
        self,
        opt_level: int = 2,
        required_pass: Sequence[str] | None = None,
        disabled_pass: Sequence[str] | None = None,
        instruments: Sequence[object] | None = None,
        config: Mapping[str, object] | None = None,
    ) -> None:
        if type(opt_level) is not int or opt_level < 0:
            raise InputError(f"PassContext: opt_level is {opt_level!r}; give a number from 0 to 4")
        self.opt_level = opt_level
        self.required_pass, self.disabled_pass = tuple(required_pass or ()), tuple(disabled_pass or ())
        self._required = names_of("PassContext: required_pass", self.required_pass)
        self._disabled = names_of("PassContext: disabled_pass", self.disabled_pass, optional=True)
        self.instruments = _checked(instruments)
        self.config = dict(config or {})
        for key, value in self.config.items():
            _check_config(key, value)

    def __enter__(self) -> Self:
        self._enter(self.instruments)
        _current.set((*_current.get(), self))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _current.set(_current.get()[:-1])
        self._leave()

    def override_instruments(self, instruments: Sequence[object] | None) -> None:
        """Replace the instruments: the old ones leave the context, the new ones enter it."""
        added = _checked(instruments)
        self._leave()
        self._enter(added)

    def _enter(self, instruments: tuple[PassInstrument, ...]) -> None:
        """Let instruments enter the context; it has none where one of them fails."""
        self.instruments = ()
        entered(instruments)
        self.instruments = instruments

    def _leave(self) -> None:
        """Let the instruments leave the context; it has none any more where one of them fails."""
        instruments, self.instruments = self.instruments, ()
        left(instruments)
        self.instruments = instruments

    @staticmethod
    def current() -> "PassContext":
        """Return the context of the enclosing `with` block; outside of all, one of level 3 that stays."""
        if not (found := _current.get()):
            found = (PassContext(opt_level=PassOptions.level),)
            _current.set(found)
        return found[-1]

    @staticmethod
    def list_configs() -> dict[str, dict[str, str]]:
        """The keys of the configuration with their types and meanings."""
        return {key: {"type": _TYPE, "meaning": text} for key, (_, text) in CONFIGS.items()}

    @property
    def passes(self) -> PassOptions:
        """The context as an option of the compiler."""
        depth = self.config.get("relay.FuseOps.max_depth", PassOptions.fusion_depth)
        assert isinstance(depth, int)
        return PassOptions(
            level=self.opt_level,
            required=self._required,
            disabled=self._disabled,
            fusion_depth=depth,
            instruments=self.instruments,
        )

    def applied(self, options: CompileOptions) -> CompileOptions:
        """Return `options` as this context changes them."""
        in_arena = self.config.get("tir.usmp.use_workspace_io")
        io = options.io if in_arena is None else "arena" if in_arena else "caller"
        target = options.target
        if self.config.get("tir.disable_vectorize"):
            target = replace(target, lanes=1)
        return replace(options, passes=self.passes, io=io, target=target)


def _checked(instruments: Sequence[object] | None) -> tuple[PassInstrument, ...]:
    for each in instruments or ():
        if not isinstance(each, PassInstrument):
            raise InputError(f"PassContext: {each!r} is no instrument; decorate its class with pass_instrument")
    return cast("tuple[PassInstrument, ...]", tuple(instruments or ()))


def check_loop_config(key: str) -> None:
    """Refuse a key of TVM's passes on loops, which are other ones here."""
    if key.startswith("tir."):
        raise UnsupportedError(
            f"PassContext: config {key}: is of TVM's passes on loops; a schedule says what loops do, so leave it out"
        )


def _check_config(key: str, value: object) -> None:
    if key not in CONFIGS:
        check_loop_config(key)
        raise InputError(f"PassContext: config {key} is not known; known are {', '.join(CONFIGS)}")
    kind, meaning = CONFIGS[key]
    if type(value) is not kind:
        raise InputError(f"PassContext: config {key} is {value!r}; give a {kind.__name__}: {meaning}")
    if key in _REFUSED and value is True:
        raise UnsupportedError(f"PassContext: config {key} is True: {meaning}; leave it out")
