"""The command `s2s`: its sub-commands, and the report of errors.

Nothing heavy is imported before a command runs: `s2s --help` needs neither xdsl, onnx nor numpy.

Exit codes: 0 done, 1 the numbers differ, 2 the model, a file or an option is wrong, 3 the model needs something that
s2s cannot do, 4 a C compiler or the like is missing or failed, 70 a bug of s2s, 130 interrupted.
"""

import errno
import gc
import os
import re
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from s2s.cli.compile import compile_command
from s2s.cli.diff import diff_command
from s2s.cli.doctor import doctor_command
from s2s.cli.export import export_command
from s2s.cli.farm import farm_app
from s2s.cli.fuzz import fuzz_command
from s2s.cli.inspect import inspect_command
from s2s.cli.profile import profile_command
from s2s.cli.project import ProjectCommand
from s2s.cli.quantize import quantize_command
from s2s.cli.records import records_app
from s2s.cli.report import report_command
from s2s.cli.run import run_command
from s2s.cli.talk import talking
from s2s.cli.targets import targets_command
from s2s.cli.tune import tune_command
from s2s.cli.verify import verify_command
from s2s.errors import InputError, S2SError, UnsupportedError
from s2s.support.garbage import rare_collections

BUG_EXIT_CODE = 70
"""`EX_SOFTWARE` of sysexits.h."""
INTERRUPTED = 130

app = typer.Typer(
    name="s2s",
    help="Compile trained neural networks to portable C99.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
COMMANDS = {
    "compile": compile_command,
    "run": run_command,
    "verify": verify_command,
    "inspect": inspect_command,
    "profile": profile_command,
    "quantize": quantize_command,
    "quantise": quantize_command,
    "report": report_command,
    "diff": diff_command,
    "tune": tune_command,
    "export": export_command,
    "fuzz": fuzz_command,
    "doctor": doctor_command,
    "targets": targets_command,
}
HIDDEN = ("quantise",)
"""Other spellings of commands."""
for _name, _command in COMMANDS.items():
    app.command(_name, cls=ProjectCommand, hidden=_name in HIDDEN)(talking(_command))
app.add_typer(records_app)
app.add_typer(farm_app)


def _print_version(wanted: bool) -> None:
    if wanted:
        from s2s.version import VERSION

        typer.echo(f"s2s {VERSION}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Compile trained neural networks to portable C99."""


def main(args: Sequence[str] | None = None) -> None:
    """Run the command `s2s` and exit."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # threads of numpy wait for each other longer than they compute
    with rare_collections():
        code = run(args)
        gc.freeze()  # the process ends: what is left is neither looked through for garbage nor taken apart
    sys.exit(code)


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
    except typer.TyperException as error:
        complain(f"{in_our_words(error.format_message())} See s2s --help.")
        return error.exit_code
    except (typer.Abort, KeyboardInterrupt):
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


def in_our_words(message: str) -> str:
    """Return the message of the option parser without the names of its exceptions."""
    plain = message.replace("Value error, ", "")
    for wanted in ("integer", "number"):
        plain = re.sub(
            rf"Input should be a valid {wanted}, unable to parse string as an? {wanted}", f"no {wanted}", plain
        )
    return plain if plain.endswith((".", ")")) else f"{plain}."


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
    """Print the traceback of `error` from the command on, and ask for a bug report."""
    import traceback

    from s2s.version import VERSION

    frames = traceback.extract_tb(error.__traceback__)
    inner = next((number for number, frame in enumerate(frames) if frame.name.endswith("_command")), 0)
    traceback.print_exception(error, limit=inner - len(frames))
    print(
        f"s2s: this is a bug of s2s {VERSION}, not of your model; please report it with the lines above, the command"
        " and, if you may share it, the model",
        file=sys.stderr,
    )
