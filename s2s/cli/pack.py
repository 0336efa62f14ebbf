"""`s2s pack`: new weights for a firmware that is there."""

from pathlib import Path

import click

from s2s.cli import options
from s2s.cli.command import command
from s2s.cli.parameters import TARGET


@command("pack")
@options.model
@click.option(
    "--for", "tree", type=options.PATH, required=True, metavar="TREE", help="The tree that --weights pack wrote."
)
@click.option("--output", "-o", type=options.PATH, required=True, metavar="FILE", help="The pack, such as net.weights.")
@click.option("--model-version", type=click.IntRange(0, 2**32 - 1), default=1, help="A number for firmware to compare.")
@click.option("--sign", type=options.PATH, metavar="KEY", help="Sign with the Ed25519 or P-256 key of this PEM file.")
@click.option("--target", type=TARGET, metavar="FILE.toml", help="The target of the tree, if it is a file of yours.")
@options.flag_of("untrusted")
@options.flag_of("trust_model")
@options.as_json
def pack_command(
    model: Path,
    tree: Path,
    output: Path,
    model_version: int,
    sign: Path | None,
    target: str | None,
    untrusted: bool,
    trust_model: bool,
    as_json: bool,
) -> None:
    """Make a pack of a retrained model's weights, for the firmware of a tree that s2s compile --weights pack wrote.

    The tree states its target, options and decisions. A model that needs other code is refused, with the nodes that
    differ.

    Example: s2s pack kws_new.tflite --for kws -o kws.weights

    Example: s2s pack kws_new.tflite --for kws -o kws.weights --model-version 2 --sign key.pem
    """
    from s2s.cli.output import print_fields, print_json, steps_shown
    from s2s.emit.read_tree import read_tree
    from s2s.packagings.signing import signer_of
    from s2s.report.new_weights import pack_for
    from s2s.support.files import write_file

    there, signer = read_tree(tree), None if sign is None else signer_of(sign)
    trusted = {"untrusted": untrusted, "trust_model": trust_model}
    with steps_shown():
        pack = pack_for(there, model, target=target, version=model_version, signer=signer, **trusted)
    write_file(output, pack)
    facts = {"pack": str(output), "bytes": len(pack), "version": model_version, "signed": sign is not None}
    if as_json:
        print_json(facts)
    else:
        print_fields({name: str(value) for name, value in facts.items()})
