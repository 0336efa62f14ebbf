"""How programs under TVM's names run and end, and what programs that serve say when they begin to listen."""

import argparse
import getpass
import sys
from collections.abc import Callable

from s2s.errors import S2SError
from s2s.farm.user_certificates import user_folder


def announcing(what: str, host: str, is_child: bool, is_silent: bool) -> Callable[[int], None]:
    """Return the function that prints a port on stdout for a parent process, and the exposure on stderr."""

    def start(port: int) -> None:
        if is_child:
            print(port, flush=True)  # noqa: T201
        if not is_silent:
            print(  # noqa: T201
                f"{what} at {host}:{port}: who has the key of {user_folder()} can run programs here as "
                f"{getpass.getuser()}; others are turned away",
                file=sys.stderr,
                flush=True,
            )

    return start


def ended(parser: argparse.ArgumentParser, run: Callable[[], object]) -> int:
    """Run a program until it ends or is interrupted; an error of a user ends it with the message of its parser."""
    try:
        run()
    except S2SError as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        pass
    return 0
