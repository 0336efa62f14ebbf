"""`s2s farm`: the scheduler and the workers of a farm that measures for tuners."""

from typing import TYPE_CHECKING, Annotated

import typer

from s2s.cli import options

if TYPE_CHECKING:
    from s2s.farm.security import Certificates

farm_app = typer.Typer(
    name="farm",
    help="Machines and boards that measure candidates for s2s tune --farm.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Address = Annotated[str, typer.Argument(metavar="ADDRESS", help="The scheduler, as in tcp://farm:8786.")]
Authority = Annotated[str, typer.Option("--tls-ca", metavar="FILE.pem", help="The authority that all sides trust.")]
Certificate = Annotated[str, typer.Option("--tls-cert", metavar="FILE.pem", help="The certificate of this side.")]
Key = Annotated[str, typer.Option("--tls-key", metavar="FILE.pem", help="The key of this side.")]


@farm_app.command("scheduler")
def scheduler_command(
    host: Annotated[str, typer.Option(help="The address to listen at; all of this machine by default.")] = "",
    port: Annotated[int, typer.Option(help="The port to listen at.")] = 8786,
    dashboard: Annotated[int, typer.Option(help="The port of Dask's status page, if bokeh is installed.")] = 8787,
    authority: Authority = "",
    certificate: Certificate = "",
    key: Key = "",
) -> None:
    """Run the scheduler of a farm until it is interrupted.

    Example: s2s farm scheduler --port 8786
    """
    from s2s.farm.scheduler import run_scheduler

    def started(address: str, page: str) -> None:
        print(f"scheduler at {address}" + (f", status page at {page}" if page else ""), flush=True)

    run_scheduler(host, port, _certificates(authority, certificate, key), dashboard, started)


@farm_app.command("worker")
def worker_command(
    address: Address,
    board: Annotated[
        list[str] | None, typer.Option(metavar="host|qemu:BOARD", help="A place to measure in; may be repeated.")
    ] = None,
    count: Annotated[int, typer.Option("--count", "-n", min=1, help="Trials that run at a time, each a process.")] = 1,
    authority: Authority = "",
    certificate: Certificate = "",
    key: Key = "",
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


@farm_app.command("status")
def status_command(
    address: Address,
    authority: Authority = "",
    certificate: Certificate = "",
    key: Key = "",
    as_json: options.Json = False,
) -> None:
    """List the workers of a farm, what they measure, and what they do.

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
    print(f"\n{len(found.workers)} workers, {found.waiting} trials wait, {found.tuners} tuners are connected")


def _certificates(authority: str, certificate: str, key: str) -> "Certificates":
    from s2s.farm.security import Certificates

    return Certificates(authority, certificate, key)
