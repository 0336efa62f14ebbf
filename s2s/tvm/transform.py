"""Passes and the context they run under, with TVM's names; passes of networks are in `relay.transform`.

with tvm.transform.PassContext(opt_level=3, disabled_pass=["AlterOpLayout"], instruments=[timing]):
    library = relay.build(mod, params=params)

mod = tvm.transform.Sequential([relay.transform.FoldConstant(), relay.transform.EliminateCommonSubexpr()])(mod)
"""

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from s2s.errors import InputError, S2SError, UnsupportedError
from s2s.passes.context import CompilerContext
from s2s.passes.instruments import PassInfo, call_hook
from s2s.passes.levels import OPT_LEVELS, PROGRAM_PASSES, TVM_NAMES, runs
from s2s.passes.manager import PassManager
from s2s.passes.pass_context import PassContext
from s2s.registry import get_pass
from s2s.tvm.relay.function import Function, GlobalVar
from s2s.tvm.relay.module import IRModule


class Pass:
    """A function from a module to a module, with a name and a level."""

    def __init__(self, info: PassInfo) -> None:
        self.info = info
        """The name and the optimisation level."""

    def __repr__(self) -> str:
        return f"Pass({self.info.name})"

    def __call__(self, mod: IRModule) -> IRModule:
        """A new module. What is called by itself runs whatever its level; instruments of the context look on."""
        instruments = PassContext.current().instruments
        if not all(call_hook(each, "should_run", mod, self.info) for each in instruments):
            return mod
        for each in instruments:
            call_hook(each, "run_before_pass", mod, self.info)
        result = self.applied(mod)
        for each in instruments:
            call_hook(each, "run_after_pass", result, self.info)
        return result

    def applied(self, mod: IRModule) -> IRModule:
        """What the pass makes of a module."""
        return mod.clone()

    def under_context(self, mod: IRModule) -> IRModule:
        """As a call, but a pass that the context around leaves out does not run."""
        name, passes = self.info.name, PassContext.current().passes
        is_asked_for = self.info.opt_level <= passes.level or name in passes.required
        return self(mod) if is_asked_for and name not in passes.disabled else mod


class GraphPass(Pass):
    """Passes of the graph level under one name."""

    def __init__(self, name: str, passes: Sequence[str], options: Mapping[str, object] | None = None) -> None:
        super().__init__(PassInfo(max((OPT_LEVELS.get(each, 0) for each in passes), default=0), name))
        self._passes, self._options = tuple(passes), dict(options or {})

    def under_context(self, mod: IRModule) -> IRModule:
        chosen = [each for each in self._passes if runs(each, PassContext.current().passes)]
        return GraphPass(self.info.name, chosen, self._options)(mod) if chosen else mod.clone()

    def applied(self, mod: IRModule) -> IRModule:
        made = mod.lowered_clone()
        PassManager().run(
            CompilerContext(made.weights), made.module, [get_pass(each)(**self._options) for each in self._passes]
        )
        return made


class PrintIR(Pass):
    """Writes the text of the module to the stream of errors, and gives the module back."""

    def __init__(self, header: str = "", show_meta_data: bool = False) -> None:
        super().__init__(PassInfo(0, "PrintIR"))
        self._header, self._show_meta_data = header, show_meta_data

    def applied(self, mod: IRModule) -> IRModule:
        sys.stderr.write(f"PrintIR({self._header}):\n{mod.astext(self._show_meta_data)}\n")
        return mod


def _refuse_required(name: str, required: Sequence[str] | None) -> None:
    if required:
        raise UnsupportedError(f"{name}: required: passes do not call others; put them into a Sequential")


class Sequential(Pass):
    """Passes one after the other, as far as the context around does not leave them out."""

    def __init__(
        self,
        passes: Sequence[Pass] | None = None,
        opt_level: int = 0,
        name: str = "sequential",
        required: Sequence[str] | None = None,
    ) -> None:
        _refuse_required("Sequential", required)
        super().__init__(PassInfo(opt_level, name))
        self.passes, self.opt_level, self.name = tuple(passes or ()), opt_level, name

    def __call__(self, mod: IRModule) -> IRModule:
        """What the passes make of `mod`, one after the other."""
        result = mod.clone()
        for each in self.passes:
            result = each.under_context(result)
        return result

    def under_context(self, mod: IRModule) -> IRModule:
        """The same: it asks the context in any case."""
        return self(mod)


class UserPass(Pass):
    """A function of a program as a pass; a class whose objects have such a method makes one for each object."""

    KIND = "module"

    def __init__(self, function: Callable[..., Any], info: PassInfo, owner: object = None) -> None:
        super().__init__(info)
        self._function, self._owner = function, owner
        PROGRAM_PASSES.add(info.name)

    def __getattr__(self, name: str) -> Any:
        owner = self.__dict__.get("_owner")
        if owner is None:
            raise AttributeError(f"pass {self.info.name} has no attribute {name}")
        return getattr(owner, name)

    def called(self, *arguments: object) -> Any:
        """The result of the function; an exception of it is an error of the pass."""
        try:
            return self._function(*arguments, PassContext.current())
        except S2SError:
            raise
        except Exception as error:
            text = f"pass {self.info.name}: {type(error).__name__}: {error}; mend the pass"
            raise InputError(text) from error


class ModulePass(UserPass):
    """A function from a module and a context to a module."""

    def applied(self, mod: IRModule) -> IRModule:
        result = self.called(mod)
        if not isinstance(result, IRModule):
            raise InputError(f"pass {self.info.name}: returns {result!r}; return an IRModule")
        return result


class FunctionPass(UserPass):
    """A function from a function of a module, the module and a context to a function."""

    KIND = "function"

    def applied(self, mod: IRModule) -> IRModule:
        made = mod.clone()
        for var, function in mod.functions.items():
            result = self.called(function, mod)
            if not isinstance(result, Function):
                raise InputError(f"pass {self.info.name}: returns {result!r}; return a relay.Function")
            made[GlobalVar(var.name_hint)] = result
        return made


def _made(kind: type[UserPass], target: Any, info: PassInfo) -> Any:
    """A pass of a function, or the function that makes one of the arguments of a class."""
    if not inspect.isclass(target):
        return kind(target, info)

    def make(*args: Any, **keywords: Any) -> UserPass:
        owner = target(*args, **keywords)
        return kind(getattr(owner, f"transform_{kind.KIND}"), info, owner)

    make.__name__, make.__doc__ = target.__name__, target.__doc__
    return make


def _decorated(
    kind: type[UserPass], target: Any, opt_level: int | None, name: str | None, required: Sequence[str] | None
) -> Any:
    if opt_level is None:
        raise InputError(f"{kind.KIND}_pass: opt_level is not given; give a number from 0 to 4")
    _refuse_required(f"{kind.KIND}_pass", required)

    def decorate(function: Any) -> Any:
        return _made(kind, function, PassInfo(opt_level, name or function.__name__))

    return decorate if target is None else decorate(target)


def module_pass(
    pass_func: Callable[..., Any] | None = None,
    opt_level: int | None = None,
    name: str | None = None,
    required: Sequence[str] | None = None,
    traceable: bool = False,
) -> Any:
    """Make a pass of a function of a module and a context, or of a class with the method `transform_module`; without
    one, the decorator that does."""
    return _decorated(ModulePass, pass_func, opt_level, name, required)


def function_pass(
    pass_func: Callable[..., Any] | None = None,
    opt_level: int | None = None,
    name: str | None = None,
    required: Sequence[str] | None = None,
    traceable: bool = False,
) -> Any:
    """Make a pass of a function of a function, the module and a context, or of a class with the method
    `transform_function`; without one, the decorator that does."""
    return _decorated(FunctionPass, pass_func, opt_level, name, required)


def named(name: str, **options: object) -> Pass:
    """A pass by our name (`graph-fold-constants`), or several by a name of TVM (`FoldConstant`)."""
    ours = TVM_NAMES.get(name, (name,))
    if not ours:
        return Pass(PassInfo(0, name))
    for each in ours:
        if not each.startswith("graph-"):
            raise InputError(f"transform.{name}: {each} runs inside of a compilation; use PassContext to leave it out")
        get_pass(each)
    return GraphPass(name, ours, options)


__all__ = [
    "FunctionPass",
    "ModulePass",
    "Pass",
    "PassContext",
    "PassInfo",
    "PrintIR",
    "Sequential",
    "function_pass",
    "module_pass",
    "named",
]
