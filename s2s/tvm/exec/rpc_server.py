"""A server of sessions: `python -m s2s.tvm.exec.rpc_server --tracker=127.0.0.1:9190 --key=rk3399`."""

import argparse
import sys

from s2s.tvm.exec.starting import announcing, ended
from s2s.tvm.rpc.processes import given_by_parent
from s2s.tvm.rpc.server import END_PORT, FIRST_PORT, run_server


def main() -> int:
    """Run until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m s2s.tvm.exec.rpc_server", description=__doc__)
    parser.add_argument("--host", default="0.0.0.0", help="the address to listen at")
    parser.add_argument("--port", type=int, default=FIRST_PORT, help="the first port to try")
    parser.add_argument("--port-end", type=int, default=END_PORT, help="the port behind the last one to try")
    parser.add_argument("--tracker", default="", metavar="HOST:PORT", help="the tracker that hands it out")
    parser.add_argument("--key", default="", help="the name of its kind")
    parser.add_argument("--silent", action="store_true", help="say nothing")
    parser.add_argument("--load-library", default="", metavar="FILE:...", help="libraries that sessions load first")
    parser.add_argument("--custom-addr", help="the host by which clients find it")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    words = parser.parse_args()
    host, _, port = words.tracker.rpartition(":")
    if words.tracker and not (host and port.isdigit()):
        parser.error(f"--tracker {words.tracker}: is no HOST:PORT; give one as in 127.0.0.1:9190")
    return ended(
        parser,
        lambda: run_server(
            words.host,
            words.port,
            words.port_end,
            words.key,
            (host, int(port)) if words.tracker else None,
            words.custom_addr,
            [each for each in words.load_library.split(":") if each],
            given_by_parent() if words.child else b"",
            announcing("server", words.host, words.child, words.silent),
        ),
    )


if __name__ == "__main__":
    sys.exit(main())
