"""Targets as they stand on the command line of the driver: a processor, a host, and external code generators.

target, extra = target_from_cli("cmsis-nn, c -mcpu=cortex-m55", {"c": {"mattr": "+mve"}})
"""

import argparse
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from s2s.errors import InputError
from s2s.tvm.driver.tvmc.composite_target import get_codegen_names
from s2s.tvm.driver.tvmc.errors import TVMCException
from s2s.tvm.target import Target
from s2s.tvm.target.kinds import COMMON, KINDS, NUMBER, TargetKind

MAX_TARGETS = 2
"""A target and its host."""
_TOKEN = re.compile(r"""\s*(,|(?:"[^"]*"|'[^']*'|(?<=[\w+.])\,(?=[\w+])|[^\s,"'])+)""")
"""A word; commas inside of a value belong to it where no space follows, and in quotes always."""
Options = Mapping[str, Mapping[str, Any]]


def tokenize_target(target: str) -> list[str]:
    """Return the words of a text, with a comma for itself between targets."""
    tokens: list[str] = []
    for token in _TOKEN.findall(target):
        if "," in token and token != "," and "=" not in token:
            tokens += [each for each in re.split(r"(,)", token) if each]
        else:
            tokens.append(token)
    return tokens


def parse_target(target: str) -> list[dict[str, Any]]:
    """Return the targets of a text, each with its `name`, its options (`opts`), its text (`raw`), and whether it is a
    kind of TVM's (`is_tvm_target`) or a code generator."""
    groups: list[list[str]] = [[]]
    for token in tokenize_target(target):
        if token == ",":
            groups.append([])
        else:
            groups[-1].append(token)
    return [_parsed(group, target) for group in groups]


def _parsed(words: Sequence[str], text: str) -> dict[str, Any]:
    if not words:
        raise TVMCException(f"target {text!r}: names nothing between commas; give names, as in c -mcpu=cortex-m4")
    options: dict[str, Any] = {}
    for word in words[1:]:
        name, separator, value = word.lstrip("-").partition("=")
        if not separator and not word.startswith("--"):
            raise TVMCException(f"target {text!r}: {word} is no option; give -name=value")
        options[name] = value.strip("\"'") if separator else True
    is_kind = words[0] in KINDS and words[0] not in get_codegen_names()
    return {"name": words[0], "opts": options, "raw": " ".join(words), "is_tvm_target": is_kind}


def validate_targets(
    parse_targets: Sequence[Mapping[str, Any]], additional_target_options: Options | None = None
) -> None:
    """Refuse targets that are there twice, that end with a generator, more than two kinds, and options for nobody."""
    names = [entry["name"] for entry in parse_targets]
    if len(names) > len(set(names)):
        raise TVMCException(f"targets {', '.join(names)}: Duplicate target definitions are not allowed; name each once")
    if names[-1] not in KINDS and len(names) > 1:
        raise TVMCException(f"{names[-1]}: The last target needs to be a TVM target; give one of {', '.join(KINDS)}")
    kinds = [entry["name"] for entry in parse_targets if entry["is_tvm_target"]]
    if len(kinds) > MAX_TARGETS:
        raise TVMCException(f"targets {', '.join(kinds)}: Only two of them can be used at a time; give target and host")
    for name, options in (additional_target_options or {}).items():
        if name not in names:
            first = next(iter(options))
            raise TVMCException(f"{name}: Passed --target-{name}-{first} but did not specify {name} target; name it")


def target_from_cli(
    target: str, additional_target_options: Options | None = None
) -> tuple[Target, list[dict[str, Any]]]:
    """Return the target of a text, of JSON or of a file of either, and the generators that stand with it."""
    text = Path(target).read_text(encoding="utf-8") if Path(target).is_file() else target
    if is_inline_json(text):
        return Target(json.loads(text)), []
    targets = parse_target(text)
    validate_targets(targets, additional_target_options)
    for entry in targets:
        entry["opts"].update((additional_target_options or {}).get(entry["name"], {}))
    kinds = [entry for entry in targets if entry["is_tvm_target"]]
    extra = [entry for entry in targets if not entry["is_tvm_target"]]
    if not kinds and len(extra) == 1 and extra[0]["name"] not in get_codegen_names():
        kinds, extra = extra, []  # a processor by our name
    if not kinds:
        raise TVMCException(f"target {text!r}: names no processor; give one, as llvm or c -mcpu=cortex-m4")
    host = _text(kinds[1]) if len(kinds) > 1 else None
    try:
        return Target(_text(kinds[0]), host), extra
    except InputError as error:
        raise TVMCException(str(error)) from error


def is_inline_json(target: str) -> bool:
    """Return whether a text is JSON."""
    try:
        json.loads(target)
    except ValueError:
        return False
    return True


def _text(target: Mapping[str, Any]) -> str:
    return " ".join([target["name"], *(f"-{name}={value}" for name, value in target["opts"].items())])


def generate_target_args(parser: argparse.ArgumentParser) -> None:
    """Declare `--target`, and an argument for each attribute of each kind."""
    parser.add_argument("--target", help="a processor as text, JSON or a file of JSON, as in c -mcpu=cortex-m4")
    for kind in _kinds():
        group = parser.add_argument_group(f"target {kind.name}")
        for name, of in _attributes(kind).items():
            group.add_argument(f"--target-{kind.name}-{name}", type=int if of == NUMBER else str)


def reconstruct_target_args(args: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """Return the attributes that arguments give, by kind."""
    values = {
        kind.name: {
            name: value
            for name in _attributes(kind)
            if (value := getattr(args, f"target_{kind.name}_{name}".replace("-", "_"))) is not None
        }
        for kind in _kinds()
    }
    return {name: options for name, options in values.items() if options}


def _kinds() -> list[TargetKind]:
    return [kind for name, kind in KINDS.items() if name not in get_codegen_names()]


def _attributes(kind: TargetKind) -> dict[str, str]:
    return {**{name: of for name, of in COMMON.items() if name != "host"}, **kind.attributes}


__all__ = [
    "generate_target_args",
    "is_inline_json",
    "parse_target",
    "reconstruct_target_args",
    "target_from_cli",
    "tokenize_target",
    "validate_targets",
]
