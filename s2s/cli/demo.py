"""`s2s demo`: write, build and run a project of a network that s2s makes itself."""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from s2s.cli import options
from s2s.cli.command import command
from s2s.demos.names import CHAT, NAMES
from s2s.errors import InputError

if TYPE_CHECKING:
    from s2s.demos.made import Made
    from s2s.demos.registry import Demo

HOST, QEMU = "host", "qemu:"
WAITS = "waiting for"
"""What the program of an emulated board prints last."""
PROMPT = "the cat "
SECONDS = 120


@command("demo")
@click.argument("name", type=click.Choice((*NAMES, CHAT)), metavar="|".join((*NAMES, CHAT)), help="The network.")
@click.option("--output", "-o", type=options.PATH, metavar="DIR", help="New folder; by default demo-NAME.")
@options.on(default=HOST, metavar="host|qemu:BOARD", help="Where it runs: here, or on a board that QEMU emulates.")
def demo_command(name: str, output: Path | None, on: str) -> None:
    """Write a project of a small network, build it and run it: a keyword spotter (kws), a person detector (vww), an
    anomaly detector (ad), a digit reader (digits), or a language model (chat). They are made in seconds, without a
    download, of data that is made up or comes with s2s; they are for trying, not for use.

    Example: s2s demo kws

    Example: s2s demo kws --on qemu:m4 -o kws-m4
    """
    destination = output if output is not None else Path(f"demo-{name}")
    if on != HOST and not on.startswith(QEMU):
        raise InputError(f"--on {on}: a demo runs here or in an emulator; give host or qemu:m4")
    if name == CHAT:
        if on != HOST:
            raise InputError(f"--on {on}: the language model runs on this machine; leave --on out")
        _chat(destination)
        return
    from s2s.cli.output import steps_shown
    from s2s.demos.project import check_new
    from s2s.demos.registry import demos
    from s2s.support import progress

    demo = demos()[name]
    check_new(destination)
    with steps_shown():
        progress.step("making the network")
        trained = demo.make()
    print(f"{name}: a network that {demo.summary}")
    if on == HOST:
        _here(demo, trained, destination)
    else:
        _emulated(demo, trained, on.removeprefix(QEMU), destination)


def _here(demo: "Demo", trained: "Made", destination: Path) -> None:
    """Write the project for this machine, and run it."""
    from s2s.cli.output import steps_shown
    from s2s.demos.project import write_demo
    from s2s.support import progress
    from s2s.verify.toolchain import run_program

    with steps_shown():
        write_demo(demo, trained, destination)
        progress.step("compiling the C")
        run_program(["make", "-s", "-C", destination, "demo"])
    print(run_program([destination.absolute() / "demo"]), end="")
    model = " ".join([f"{destination}/{demo.name}.onnx", *(f"--pre {step}" for step in demo.pre)])
    _next(
        (f"make -C {destination} run", f"runs it again; {destination}/main.c calls the network"),
        (f"s2s report {model} --target cortex-m4", "its RAM, flash and stack on a microcontroller"),
        (f"s2s demo {demo.name} --on qemu:m4 -o {destination}-m4", "the same on an emulated one"),
        (f"s2s compile {model} --format web -o page", "a page for browsers"),
    )


def _emulated(demo: "Demo", trained: "Made", board: str, destination: Path) -> None:
    """Write the project for an emulated board, and run it until it waits for a host."""
    from s2s.artifact import compile_artifact
    from s2s.boards import get_board
    from s2s.cli.output import steps_shown
    from s2s.options import CompileOptions
    from s2s.projects import project_board, write_project
    from s2s.support import progress
    from s2s.verify.board_program import require_board
    from s2s.verify.toolchain import run_program

    require_board(get_board(f"{QEMU}{board}"))
    chosen = project_board(f"qemu-{board}")
    with steps_shown(), tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / f"{demo.name}.onnx"
        model.write_bytes(trained.model)
        with compile_artifact(model, CompileOptions(target=chosen.target, pre=demo.pre)) as artifact:
            write_project(artifact.measured_tree(), chosen, destination)
        progress.step("compiling the C")
        run_program(["make", "-s", "-C", destination])
    _print_until_it_waits(destination)
    _next(
        (f"make -C {destination} run", "runs it again; Ctrl-C ends it"),
        (f"{destination}/README.md", "how a host gives it inputs"),
        ("s2s boards", "boards that such a project can be written for, with s2s new"),
    )


def _print_until_it_waits(project: Path) -> None:
    """Run the project's emulator in a process group of its own, print its lines, and end it."""
    import os
    import signal
    import subprocess
    import threading

    pipe = subprocess.PIPE
    with subprocess.Popen(
        ["make", "-s", "-C", project, "run"],
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    ) as emulator:
        end = threading.Timer(SECONDS, os.killpg, (emulator.pid, signal.SIGKILL))
        end.start()
        try:
            assert emulator.stdout is not None
            for line in emulator.stdout:
                if line.startswith(WAITS):
                    break
                if line.strip():
                    print(f"  {line.strip()}")
        finally:
            end.cancel()
            if emulator.poll() is None:
                os.killpg(emulator.pid, signal.SIGKILL)


def _chat(destination: Path) -> None:
    """Write a language model and its chat program, and let it go on with a text."""
    from s2s.cli.chat import built_program, read_language
    from s2s.cli.output import steps_shown
    from s2s.demos.language import write_language
    from s2s.verify.toolchain import run_program

    with steps_shown():
        write_language(destination)
    program = built_program(destination, read_language(destination))
    print("chat: a decoder that knows a dozen words, and which of them may follow each other")
    print(run_program([program, "--plain", "1", "--tokens", "24", "--prompt", PROMPT, "--seed", "1"]).strip())
    _next(
        (f"s2s chat {destination} --plain", "more of it"),
        ("s2s compile model.gguf -o model && s2s chat model", "a model that has learned"),
    )


def _next(*steps: tuple[str, str]) -> None:
    from s2s.cli.output import columns

    print("next:")
    print("\n".join(columns([(f"  {command}", use) for command, use in steps])))
