"""`s2s compile`: compile a network to a tree of C."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from s2s.cli import options
from s2s.cli.command import command
from s2s.cli.formats import checked_folder, formats, packages_as_dict, packages_in_words
from s2s.cli.options import Options, with_compile_options, with_debug_options
from s2s.cli.together import (
    Prefill,
    concurrent_flag,
    describe_joint,
    join_networks,
    models,
    only_model,
    prefill_tokens,
    share_kernels,
    together_flag,
    tree_name,
    with_prefill,
)
from s2s.errors import InputError
from s2s.options import DebugOptions

if TYPE_CHECKING:
    from collections.abc import Callable

    from s2s.artifact import Artifact
    from s2s.joint.artifact import JointArtifact
    from s2s.options import CompileOptions

HASH_LENGTH = 7
"""Characters at the end of a name that was cut: an underscore and six digits of a hash."""


@command("compile")
@models
@with_compile_options
@click.option("--output", "-o", type=options.PATH, metavar="DIR", help="Folder to write; by default the model's name.")
@formats(required=False)
@click.option("--write-decisions", type=options.PATH, metavar="FILE", help="Write what the compiler chose to a file.")
@click.option(
    "--evidence",
    type=options.PATH,
    metavar="DIR",
    help="Write documents for an assessor: traceability, proof, coverage, MISRA, stack, compilers, bill of materials.",
)
@together_flag
@concurrent_flag
@share_kernels
@prefill_tokens
@with_debug_options
@options.as_json
def compile_command(
    models: tuple[Path, ...],
    compiling: Options,
    output: Path | None,
    format: tuple[str, ...],
    write_decisions: Path | None,
    evidence: Path | None,
    together: bool,
    concurrent: bool,
    share: Literal["equal", "alike"],
    prefill: Prefill | None,
    debug: DebugOptions,
    as_json: bool,
) -> None:
    """Compile a network to a tree of C99, or several networks to one tree.

    The tree builds with its own make or cmake and carries a self-test. With --format it is written packed for other
    tools, as by s2s export.

    Example: s2s compile kws.onnx -o kws --target c

    Example: s2s compile kws.onnx --target cortex-m4 --format arduino -o ~/Arduino/libraries/kws

    Example: s2s compile kws.onnx --target c --profile misra --evidence evidence
    """
    from dataclasses import replace

    from s2s.artifact import compile_artifact
    from s2s.cli.output import print_fields, print_json, steps_shown

    _check_kept(
        _joint(prefill, together=together),
        stop_after=debug.stop_after,
        write_decisions=write_decisions,
        evidence=evidence,
        format=format,
    )
    if together:
        _compile_together(models, replace(compiling("host"), debug=debug), output, concurrent, share, as_json=as_json)
        return
    model = only_model(models, concurrent=concurrent, share=share)
    if prefill is not None:
        given = replace(compiling("host"), debug=debug)
        _write_joint(lambda: with_prefill(model, given, prefill), output or Path(model.stem), debug, as_json=as_json)
        return
    with steps_shown(quiet=bool(debug.print_ir_after)):
        artifact = compile_artifact(model, replace(compiling("host"), debug=debug))
        if debug.stop_after is not None:
            print(artifact.ir())
            return
        as_dict, in_words = _write(artifact, model, output, format, write_decisions, evidence)
        report = artifact.report()
    if as_json:
        print_json({**as_dict, **report.as_dict()})
    else:
        print_fields({**in_words, **_shortened(artifact.name, model), **report.in_words()})


def _write(
    artifact: "Artifact",
    model: Path,
    output: Path | None,
    format: tuple[str, ...],
    write_decisions: Path | None,
    evidence: Path | None,
) -> tuple[dict[str, Any], dict[str, str]]:
    """Write all files that a user asks for, and return their places for JSON and for people."""
    packed = tuple(dict.fromkeys(format))
    destination = checked_folder(output, artifact.name, packed)
    page = {} if evidence is None else {"evidence": _write_evidence(artifact, model, evidence)}
    if write_decisions is not None:
        artifact.decisions.write(write_decisions)
    packages = artifact.export(destination, *packed) if packed else {}
    as_dict: dict[str, Any] = dict(packages_as_dict(packages)) if packed else {}
    places = {} if packed else {"tree": str(artifact.write(destination))}
    return {**as_dict, **places, **page}, {**packages_in_words(packages), **places, **page}


def _write_evidence(artifact: "Artifact", model: Path, destination: Path) -> str:
    """Write the evidence pack of a network, and return its index."""
    from s2s.evidence.pack import INDEX, write_evidence

    return str(write_evidence(artifact, model if model.is_file() else None, destination) / INDEX)


def _shortened(name: str, model: Path) -> dict[str, str]:
    """Return a field about the network's name in C if it is the name of the file, cut."""
    from s2s.c_syntax.identifiers import c_identifier

    whole = c_identifier(model.stem, len(model.stem) + 2)
    kept = name[:-HASH_LENGTH]
    if not kept or len(whole) <= len(name) or not whole.startswith(kept):
        return {}
    return {"named": f"{name}: C99 tells names apart by 31 characters, those of kernels included; --name gives another"}


def _joint(prefill: Prefill | None, *, together: bool) -> str | None:
    """Return the option that asks for several networks."""
    if together and prefill is not None:
        raise InputError(f"{prefill}: is about one network; leave --together out")
    return "--together" if together else str(prefill) if prefill is not None else None


def _check_kept(
    joint: str | None,
    *,
    stop_after: str | None,
    write_decisions: Path | None,
    evidence: Path | None,
    format: tuple[str, ...],
) -> None:
    """Raise an error if an option asks for something that this compilation does not keep, or for a folder of others;
    `joint` is the option that asks for several networks."""
    stated = {"--write-decisions": write_decisions, "--evidence": evidence, "--format": format[0] if format else None}
    given = [f"{flag} {value}" for flag, value in stated.items() if value is not None]
    if joint is not None and (stop_after is not None or given):
        named = f"--stop-after, {', '.join(stated)}".replace(", --format", " and --format")
        raise InputError(f"{joint}: {named} are about one network; compile it alone")
    if stop_after is not None and given:
        raise InputError(f"{given[0]}: --stop-after ends before all is decided; leave one out")
    if evidence is not None:
        from s2s.emit.files import check_destination

        check_destination(evidence)


def _compile_together(
    models: tuple[Path, ...],
    chosen: "CompileOptions",
    output: Path | None,
    concurrent: bool,
    share: Literal["equal", "alike"],
    *,
    as_json: bool,
) -> None:
    """Compile networks to one tree, and print its figures."""
    name = tree_name(chosen, output)

    def join() -> "JointArtifact":
        return join_networks(models, chosen, name, concurrent=concurrent, share=share)

    _write_joint(join, output if output is not None else Path(name), chosen.debug, as_json=as_json)


def _write_joint(join: "Callable[[], JointArtifact]", destination: Path, debug: DebugOptions, *, as_json: bool) -> None:
    """Write a tree of several networks, and print its figures."""
    from s2s.cli.output import print_fields, print_json, steps_shown
    from s2s.emit.files import check_destination

    check_destination(destination)
    with steps_shown(quiet=bool(debug.print_ir_after)):
        joint = join()
        tree = joint.write(destination)
        report = joint.report()
    if as_json:
        print_json({"tree": str(tree), **report.as_dict()})
    else:
        print_fields({"tree": tree, **describe_joint(report)})
