"""The command `s2s`: its sub-commands, and the report of errors.

Nothing heavy is imported before a command runs: `s2s --help` needs neither xdsl, onnx nor numpy.

Exit codes: 0 done, 1 the numbers differ, 2 the model, a file or an option is wrong, 3 the model needs something that
s2s cannot do, 4 a C compiler or the like is missing or failed, 70 a bug of s2s, 130 interrupted.
"""

import atexit
import errno
import gc
import os
import sys
import threading
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

import click

from s2s.cli.command import SETTINGS
from s2s.errors import InputError, S2SError, UnsupportedError
from s2s.support.garbage import rare_collections

BUG_EXIT_CODE = 70
"""`EX_SOFTWARE` of sysexits.h."""
INTERRUPTED = 130

COMMANDS = {
    "compile": ("compile.compile_command", "Compile a network to C99, or several networks to one tree."),
    "pack": ("pack.pack_command", "Make a pack of new weights for a firmware that is there."),
    "run": ("run.run_command", "Build a tree for this machine and run it once."),
    "verify": ("verify.verify_command", "Run the C of a network and compare it with another engine."),
    "prove": ("prove.prove_command", "Prove that the C of a network in int8 is right for every input."),
    "inspect": ("inspect.inspect_command", "Show inputs, outputs, operators, weights and work of a network."),
    "chat": ("chat.chat_command", "Talk to the language model in a tree."),
    "profile": ("profile.profile_command", "Time each kernel beside the peak of this machine."),
    "quantize": ("quantize.quantize_command", "Quantise a network to 8 bits, and show the error of each layer."),
    "report": ("report.report_command", "Show the RAM, flash and stack that a network takes."),
    "diff": ("diff.diff_command", "Show what differs between two trees."),
    "tune": ("tune.tune_command", "Search faster decisions and schedules by measuring them."),
    "export": ("export.export_command", "Pack a tree for a build system, a package manager or an IDE."),
    "demo": ("demo.demo_command", "Write, build and run the project of a small network."),
    "new": ("new.new_command", "Write a firmware project that runs a network on a board."),
    "boards": ("new.boards_command", "List the boards that projects can be written for."),
    "fuzz": ("fuzz.fuzz_command", "Compile random ONNX models and compare with onnxruntime."),
    "reduce": ("reduce.reduce_command", "Shrink an ONNX model that fails, as long as it fails."),
    "doctor": ("doctor.doctor_command", "Show which compilers, emulators and Python packages are found."),
    "targets": ("targets.targets_command", "List the targets, or print one as a file."),
    "completion": ("completion.completion_command", "Print a script that makes a shell complete commands."),
    "records": ("records.records_group", "Show, merge, prune, verify and convert records of measurements."),
    "tvmc": ("tvmc.tvmc_command", "Compile, run and tune with the arguments of TVM's tvmc."),
    "farm": ("farm.farm_group", "Let other machines and boards measure for s2s tune."),
}
"""Where each command is found in `s2s.cli`, and its line in the help. It is imported when it runs."""
SPELLINGS = {"quantise": "quantize"}
"""Other spellings of commands."""


class Commands(click.Group):
    """The commands of s2s."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command `cmd_name`; return None if there is none."""
        found = COMMANDS.get(SPELLINGS.get(cmd_name, cmd_name))
        if found is None:
            return None
        module, _, name = found[0].partition(".")
        return getattr(import_module(f"s2s.cli.{module}"), name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the arguments name; refuse an unknown one with the name that it resembles."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            from difflib import get_close_matches  # only where a command is misspelt

            near = get_close_matches(args[0], [*COMMANDS, *SPELLINGS], n=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise click.UsageError(f"No such command '{args[0]}'.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table of commands without importing them, each line whole."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


def _print_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from s2s.version import current_version

        click.echo(f"s2s {current_version()}")
        ctx.exit()


@click.command("s2s", cls=Commands, context_settings=SETTINGS)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_print_version,
    help="Print the version and exit.",
)
def app() -> None:
    """Compile trained neural networks to portable C99."""


def main(args: Sequence[str] | None = None) -> None:
    """Run the command `s2s` and exit."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # threads of numpy wait for each other longer than they compute
    with rare_collections():
        leave(run(args))


def leave(code: int) -> NoReturn:
    """End the process without taking modules and objects apart, which takes Python half a second after a compilation.

    What was registered for the end runs before. A profiler or a debugger, and threads that still run, need the usual
    end.
    """
    if threading.active_count() > 1 or sys.getprofile() is not None or sys.gettrace() is not None:
        gc.freeze()  # at least not looked through for garbage
        sys.exit(code)
    atexit._run_exitfuncs()  # pyright: ignore[reportPrivateUsage]
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def run(args: Sequence[str] | None = None) -> int:
    """Run the command line `args` and return its exit code."""
    given = list(sys.argv[1:] if args is None else args) or ["--help"]
    try:
        code: int = app(given, prog_name="s2s", standalone_mode=False) or 0
        sys.stdout.flush()
    except S2SError as error:
        report(error)
        if "--json" in given:
            report_as_json(error)
        return error.exit_code
    except click.ClickException as error:
        context = error.ctx if isinstance(error, click.UsageError) else None
        place = "s2s" if context is None else context.command_path
        complain(f"{as_sentence(error.format_message())} See {place} --help.")
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        complain("interrupted; nothing was written")
        return INTERRUPTED
    except OSError as error:
        if is_about_output(error):
            complain(f"standard output: cannot be written ({error.strerror}); send it elsewhere")
        elif error.errno == errno.ENOSPC:
            place = error.filename or "a temporary file"
            complain(f"{place}: cannot be written ({error.strerror}); free some space, or set TMPDIR to another disk")
        else:
            report_bug(error)
            return BUG_EXIT_CODE
        return InputError.exit_code
    except Exception as error:
        report_bug(error)
        return BUG_EXIT_CODE
    return code


def as_sentence(message: str) -> str:
    """Return a message of the option parser on one line, with a full stop."""
    sentence = " ".join(message.split())
    return sentence if sentence.endswith((".", ")", "?")) else f"{sentence}."


def is_about_output(error: OSError) -> bool:
    """Return whether standard output is full or closed, so that nothing more may be written to it."""
    if error.filename is not None or error.errno not in (errno.ENOSPC, errno.EPIPE, errno.EIO, errno.EBADF):
        return False
    output = sys.__stdout__.fileno() if sys.__stdout__ is not None else 1
    if error.errno == errno.ENOSPC and _takes_a_line(output):
        return False
    os.dup2(os.open(os.devnull, os.O_WRONLY), output)
    return True


def _takes_a_line(output: int) -> bool:
    """Return whether an empty line can be written to a file descriptor."""
    try:
        os.write(output, b"\n")
    except OSError:
        return False
    return True


def report_as_json(error: S2SError) -> None:
    """Print the error as JSON to standard output, for programs that expect one JSON object."""
    from s2s.cli.output import print_json

    print_json({"error": {"kind": type(error).__name__, "message": str(error), "exit_code": error.exit_code}})


def report(error: S2SError) -> None:
    """Print the error in one line, or one line for each unsupported thing, followed by the output of a failed
    program."""
    lines = str(error).splitlines()
    first = len(lines) if isinstance(error, UnsupportedError) else 1
    for line in lines[:first]:
        complain(line)
    for line in lines[first:]:
        print(line, file=sys.stderr)


def complain(text: str) -> None:
    """Print one line in the form that users and scripts look for."""
    print(f"s2s: error: {text}", file=sys.stderr)


def report_bug(error: Exception) -> None:
    """Print the traceback of `error` from the command on, and ask for a bug report; write what repeats it."""
    import traceback

    from s2s.reproducer import write_reproducer
    from s2s.version import current_version

    frames = traceback.extract_tb(error.__traceback__)
    inner = next((number for number, frame in enumerate(frames) if frame.name.endswith("_command")), 0)
    traceback.print_exception(error, limit=inner - len(frames))
    print(
        f"s2s: this is a bug of s2s {current_version()}, not of your model; please report it with the lines above, the"
        " command and, if you may share it, the model",
        file=sys.stderr,
    )
    if (file := write_reproducer(error)) is not None:
        kept = file.with_suffix(".npz")
        how = f"with the weights in {kept}" if kept.exists() else "without the weights"
        print(f"s2s: {file} repeats it: the module before the pass, {how}", file=sys.stderr)
