"""`s2s farm`: the scheduler and the workers of a farm that measures for tuners."""

from typing import TYPE_CHECKING

import click

from s2s.cli import options
from s2s.cli.command import SETTINGS

if TYPE_CHECKING:
    from s2s.farm.security import Certificates


@click.group("farm", context_settings=SETTINGS)
def farm_group() -> None:
    """Machines and boards that measure candidates for s2s tune --farm."""


address = click.argument("address", metavar="ADDRESS", help="The scheduler, as in tcp://farm:8786.")
authority = click.option(
    "--tls-ca",
    "authority",
    default="",
    show_default=False,
    metavar="FILE.pem",
    help="The authority that all sides trust.",
)
certificate = click.option(
    "--tls-cert",
    "certificate",
    default="",
    show_default=False,
    metavar="FILE.pem",
    help="The certificate of this side.",
)
key = click.option("--tls-key", "key", default="", show_default=False, metavar="FILE.pem", help="The key of this side.")


@farm_group.command("scheduler", context_settings=SETTINGS)
@click.option(
    "--host", default="", show_default=False, help="The address to listen at; without one, all of this machine."
)
@click.option("--port", type=int, default=8786, help="The port to listen at.")
@click.option("--dashboard", type=int, default=8787, help="The port of Dask's status page.")
@authority
@certificate
@key
def scheduler_command(host: str, port: int, dashboard: int, authority: str, certificate: str, key: str) -> None:
    """Run the scheduler of a farm until it is interrupted.

    Example: s2s farm scheduler --port 8786
    """
    from s2s.farm.scheduler import run_scheduler

    def started(address: str, page: str) -> None:
        print(f"scheduler at {address}, status page at {page}", flush=True)

    run_scheduler(host, port, _certificates(authority, certificate, key), dashboard, started)


@farm_group.command("worker", context_settings=SETTINGS)
@address
@click.option("--board", multiple=True, metavar="host|qemu:BOARD", help="A place to measure in; may be repeated.")
@click.option("--count", "-n", type=click.IntRange(min=1), default=1, help="Trials that run at a time, each a process.")
@authority
@certificate
@key
def worker_command(
    address: str, board: tuple[str, ...], count: int, authority: str, certificate: str, key: str
) -> None:
    """Measure on this machine for the tuners of a farm, until interrupted.

    Workers that end or hang are replaced, and their trials are done again. Times are measured by one worker of a
    machine at a time.

    Example: s2s farm worker tcp://farm:8786 --board qemu:m4 --board host --count 4
    """
    from s2s.farm.library import distributed
    from s2s.farm.supervisor import supervise
    from s2s.tuning.places import make_measurer

    distributed()
    places = board or ["host"]
    for place in places:
        make_measurer(place)
    certificates = _certificates(authority, certificate, key)
    certificates.check(address)
    supervise(address, places, count, certificates)


@farm_group.command("status", context_settings=SETTINGS)
@address
@authority
@certificate
@key
@options.as_json
def status_command(address: str, authority: str, certificate: str, key: str, as_json: bool) -> None:
    """List the workers of a farm, their targets, and their present tasks.

    Example: s2s farm status tcp://farm:8786
    """
    from dataclasses import asdict

    from s2s.cli.output import columns, print_json
    from s2s.farm.status import farm_status

    found = farm_status(address, _certificates(authority, certificate, key))
    if as_json:
        print_json(asdict(found))
        return
    rows = [
        (each.name, ", ".join(each.boards), f"{each.running}", f"{each.memory / 1e6:.0f} MB") for each in found.workers
    ]
    print("\n".join(columns([("worker", "measures on", "trials", "memory"), *rows])))
    print(f"\nworkers: {len(found.workers)}, waiting trials: {found.waiting}, connected tuners: {found.tuners}")


def _certificates(authority: str, certificate: str, key: str) -> "Certificates":
    from s2s.farm.security import Certificates

    return Certificates(authority, certificate, key)
