"""Collect the messages of all errors from the source: `place: fact; way out`, with a name in braces for what varies.

A message is the text that an error is made of. Where only a part of it stands there, the rest is looked for where it
comes from: for a parameter in the calls of the function, for a variable in its assignments, for a call in what the
function returns.
"""

import ast
import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from s2s import errors

ROOT = Path(__file__).parents[1]
FOLDERS = ("s2s", "dialects")
STAGES = {
    "The command line and files": ("s2s/cli", "s2s/stages", "s2s/options", "s2s/support", "s2s/artifact", "s2s/api"),
    "Reading ONNX": ("s2s/frontends/onnx", "s2s/onnx_backend"),
    "Reading TFLite": ("s2s/frontends/tflite",),
    "Reading PyTorch": ("s2s/frontends/torch", "s2s/torch_backend"),
    "Reading GGUF": ("s2s/frontends/gguf", "s2s/frontends/decoder", "s2s/chat"),
    "Reading any model": ("s2s/frontends", "s2s/inspection", "s2s/types", "dialects/graph"),
    "Targets": ("s2s/targets", "s2s/tvm/target"),
    "Decisions, schedules and records": ("s2s/decisions", "s2s/schedules", "s2s/records", "dialects"),
    "Compiling": (
        "s2s/analysis",
        "s2s/passes",
        "s2s/memory",
        "s2s/budgets",
        "s2s/emit",
        "s2s/interpret",
        "s2s/joint",
        "s2s/c_syntax",
        "s2s/compilation",
        "s2s/pipeline",
        "s2s/registry",
        "s2s/data",
        "s2s/external",
    ),
    "Verifying, measuring and reporting": (
        "s2s/verify",
        "s2s/prove",
        "s2s/boards",
        "s2s/profiling",
        "s2s/report",
        "s2s/evidence",
        "s2s/fuzz",
        "s2s/testing",
    ),
    "Packages and projects": ("s2s/packagings", "s2s/projects", "s2s/demos"),
    "Quantising": (
        "s2s/quantization",
        "s2s/mixed",
        "s2s/mixed",
    ),
    "Tuning": ("s2s/tuning", "s2s/farm", "s2s/tvm/autotvm", "s2s/tvm/rpc"),
    "Tensor expressions": ("s2s/tvm/te",),
    "The Python interface of TVM": ("s2s/tvm", "s2s/executor"),
}
"""What a user does when a message appears, and the files that have the messages; the first that fits counts."""
MAX_DEPTH = 4
"""How many functions a part of a message is handed through at most."""
COMPLETE = re.compile(r"\S.*?: \S.*; \S.*", re.DOTALL)
HOLE = re.compile(r"\{.*?\}")
WORD = re.compile(r"[A-Za-z]{2}")
PARTIAL = ("ShapeError", "ScheduleError", "TypesChangeError", "BranchesDifferError")
"""Errors that state a fact alone: who catches them adds the place, and the way out where it is missing."""
SHOWN_CALLS = {"place": "node", "label": "node"}
"""Functions that name a thing, and what the page calls it."""


@dataclass(frozen=True)
class Hole:
    """A part of a message that varies."""

    value: ast.expr
    scope: "Scope"


Template = tuple[str | Hole, ...]


@dataclass(frozen=True)
class Message:
    """A message of an error."""

    kind: str
    """The class of the error."""
    text: str
    module: Path
    """The file that has the text."""

    @property
    def is_complete(self) -> bool:
        """Whether it states place, fact and way out."""
        return COMPLETE.fullmatch(self.text) is not None

    @property
    def stage(self) -> str:
        """What a user does when it appears."""
        file = self.module.with_suffix("").as_posix()
        return next(
            stage for stage, rooms in STAGES.items() if any(f"{file}/".startswith(f"{room}/") for room in rooms)
        )

    @property
    def fact(self) -> str:
        """Place and fact."""
        return self.text.rpartition("; ")[0] or self.text

    @property
    def way_out(self) -> str:
        """What the user may do."""
        return self.text.rpartition("; ")[2] if "; " in self.text else ""


@dataclass(frozen=True, eq=False)
class Scope:
    """A function, or a module outside of its functions."""

    module: Path
    node: ast.FunctionDef | ast.Module
    own_nodes: list[ast.AST] = field(default_factory=list[ast.AST])
    """The nodes of the body that are in no inner function."""

    @property
    def name(self) -> str:
        """The function's name."""
        return self.node.name if isinstance(self.node, ast.FunctionDef) else ""

    @property
    def parameters(self) -> list[str]:
        """The names of its parameters but `self`."""
        if isinstance(self.node, ast.Module):
            return []
        arguments = self.node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        return [each.arg for each in every if each.arg not in ("self", "cls")]


class Source:
    """All functions of the compiler, and the calls in them."""

    def __init__(self) -> None:
        self.scopes: list[Scope] = []
        self.classes: dict[str, list[str]] = {}
        for path in sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            self._enter(Scope(path.relative_to(ROOT), tree))
        self.nearest: dict[tuple[str, Path], Scope | None] = {}
        self.functions: dict[str, list[Scope]] = defaultdict(list)
        self.calls: dict[str, list[tuple[Scope, ast.Call]]] = defaultdict(list)
        for scope in self.scopes:
            self.functions[scope.name].append(scope)
            for node in scope.own_nodes:
                if isinstance(node, ast.Call) and called(node):
                    self.calls[called(node)].append((scope, node))

    def _enter(self, scope: Scope) -> None:
        """Take in a scope, and the scopes inside of it."""
        self.scopes.append(scope)
        waiting: list[ast.AST] = list(scope.node.body)
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.FunctionDef):
                self._enter(Scope(scope.module, node))
                continue
            if isinstance(node, ast.ClassDef):
                self.classes[node.name] = [base.id for base in node.bases if isinstance(base, ast.Name)]
            scope.own_nodes.append(node)
            waiting += ast.iter_child_nodes(node)

    def is_error(self, name: str) -> bool:
        """Whether a class is one of the errors that users see."""
        return name == errors.S2SError.__name__ or any(map(self.is_error, self.classes.get(name, ())))

    def messages(self) -> Iterator[Message]:
        """Every message, once."""
        found: dict[tuple[str, str], Message] = {}
        for kind in filter(self.is_error, self.classes):
            for scope, call in self.calls[kind]:
                for template in self._templates(call.args[0], scope) if call.args else ():
                    for whole in self._completed(template, MAX_DEPTH, partly=kind in PARTIAL):
                        text = shown(whole)
                        said = text.partition(": ")[2] or text
                        if WORD.search(HOLE.sub("", said)):
                            found.setdefault((kind, HOLE.sub("{}", text)), Message(kind, text, origin(whole, scope)))
        yield from found.values()

    def _completed(self, template: Template, depth: int, *, partly: bool) -> Iterator[Template]:
        """The template with fact and way out filled in where it has none; `partly` if others add the way out."""
        head, tail = after_place(template)
        bare = "".join(part for part in tail if isinstance(part, str))
        if depth == 0 or all(map(WORD.search, (bare,) if partly else bare.rpartition("; ")[::2])):
            yield template
            return
        handed = next((part.scope for part in tail if isinstance(part, Hole) and is_parameter(part)), None)
        filled = list(self._by_callers(tail, handed)) if handed is not None else list(self._by_values(tail))
        for each in filled:
            yield from self._completed(head + each, depth - 1, partly=partly)
        if not filled:
            yield template

    def _by_callers(self, template: Template, function: Scope) -> Iterator[Template]:
        """The template with what each call of the function gives for its parameters."""
        for caller, call in self.calls[function.name]:
            if self._nearest(function.name, caller) is function:
                yield from self._product(
                    [
                        self._templates(given, caller)
                        if isinstance(part, Hole)
                        and is_parameter(part)
                        and part.scope is function
                        and (given := argument(call, named(part.value), function.parameters)) is not None
                        else [(part,)]
                        for part in template
                    ]
                )

    def _by_values(self, template: Template) -> Iterator[Template]:
        """The template with the values of variables, and the results of functions."""
        values = [list(self._values(part)) if isinstance(part, Hole) else [] for part in template]
        if any(values):
            yield from self._product([each or [(part,)] for part, each in zip(template, values, strict=True)])

    def _product(self, parts: Sequence[Iterable[Template]]) -> Iterator[Template]:
        for chosen in itertools.product(*parts):
            yield tuple(part for piece in chosen for part in piece)

    def _values(self, hole: Hole) -> Iterator[Template]:
        """The texts that a variable is assigned, or that a function returns."""
        value, scope = hole.value, hole.scope
        if isinstance(value, ast.Name):
            for node in scope.own_nodes:
                if isinstance(node, ast.Assign | ast.NamedExpr):
                    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                    if any(isinstance(target, ast.Name) and target.id == value.id for target in targets):
                        yield from self._templates(node.value, scope)
        elif isinstance(value, ast.Call) and called(value):
            function = self._nearest(called(value), scope)
            for node in function.own_nodes if function is not None else ():
                if isinstance(node, ast.Return) and node.value is not None:
                    yield from self._templates(node.value, function or scope)

    def _templates(self, value: ast.expr, scope: Scope) -> Iterator[Template]:
        """An expression as text with holes."""
        match value:
            case ast.Constant(value=str(text)):
                yield (text,)
            case ast.JoinedStr():
                yield tuple(
                    str(part.value) if isinstance(part, ast.Constant) else Hole(part.value, scope)
                    for part in value.values
                    if isinstance(part, ast.Constant | ast.FormattedValue)
                )
            case ast.BinOp(op=ast.Add()):
                for left in self._templates(value.left, scope):
                    yield from (left + right for right in self._templates(value.right, scope))
            case ast.IfExp():
                yield from self._templates(value.body, scope)
                yield from self._templates(value.orelse, scope)
            case ast.Name() | ast.Call():
                yield (Hole(value, scope),)
            case _:
                pass

    def _nearest(self, name: str, caller: Scope) -> Scope | None:
        """The function of a name that lies nearest to a call."""
        key = (name, caller.module)
        if key not in self.nearest:
            known = self.functions.get(name, ())
            self.nearest[key] = max(known, key=lambda each: in_common(each.module, caller.module), default=None)
        return self.nearest[key]


def after_place(template: Template) -> tuple[Template, Template]:
    """Divide a template behind the first colon; all of it is the second part where there is none."""
    for number, part in enumerate(template):
        if isinstance(part, str) and ": " in part:
            before, colon, after = part.partition(": ")
            return (*template[:number], before + colon), (after, *template[number + 1 :])
    return (), template


def is_parameter(hole: Hole) -> bool:
    """Whether a hole is a parameter of its function."""
    return isinstance(hole.value, ast.Name) and hole.value.id in hole.scope.parameters


def called(call: ast.Call) -> str:
    """The name of the function that is called."""
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def argument(call: ast.Call, name: str, parameters: Sequence[str]) -> ast.expr | None:
    """What a call gives for a parameter."""
    named = next((each.value for each in call.keywords if each.arg == name), None)
    number = parameters.index(name)
    return named if named is not None else call.args[number] if number < len(call.args) else None


def in_common(one: Path, other: Path) -> tuple[int, bool]:
    """How many folders two files have in common, and whether they are the same."""
    shared = sum(
        1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(one.parts, other.parts, strict=False))
    )
    return shared, one == other


def origin(template: Template, scope: Scope) -> Path:
    """The file that a message is about: the file of the values in it."""
    holes = [part for part in template if isinstance(part, Hole)]
    return holes[-1].scope.module if holes else scope.module


def shown(template: Template) -> str:
    """A template as text, with names in braces."""
    return "".join(part if isinstance(part, str) else f"{{{named(part.value)}}}" for part in template)


def named(value: ast.expr) -> str:
    """What a value is called."""
    match value:
        case ast.Name(id=name):
            return name
        case ast.Attribute(attr=name):
            return name
        case ast.Call() if called(value) in SHOWN_CALLS:
            return SHOWN_CALLS[called(value)]
        case _:
            return "…"


@cache
def messages() -> tuple[Message, ...]:
    """Every message of an error, sorted by its text within its stage."""
    order = list(STAGES)
    return tuple(sorted(Source().messages(), key=lambda each: (order.index(each.stage), each.text, each.kind)))
