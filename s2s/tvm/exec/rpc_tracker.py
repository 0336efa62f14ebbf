"""A tracker of servers: `python -m s2s.tvm.exec.rpc_tracker --host=0.0.0.0 --port=9190`."""

import argparse
import sys

from s2s.tvm.exec.starting import announcing, ended
from s2s.tvm.rpc.processes import given_by_parent
from s2s.tvm.rpc.tracker import END_PORT, FIRST_PORT, run_tracker


def main() -> int:
    """Run until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m s2s.tvm.exec.rpc_tracker", description=__doc__)
    parser.add_argument("--host", default="0.0.0.0", help="the address to listen at")
    parser.add_argument("--port", type=int, default=FIRST_PORT, help="the first port to try")
    parser.add_argument("--port-end", type=int, default=END_PORT, help="the port behind the last one to try")
    parser.add_argument("--silent", action="store_true", help="say nothing")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    words = parser.parse_args()
    if words.child:
        given_by_parent()
    start = announcing("tracker", words.host, words.child, words.silent)
    return ended(parser, lambda: run_tracker(words.host, words.port, words.port_end, start))


if __name__ == "__main__":
    sys.exit(main())
