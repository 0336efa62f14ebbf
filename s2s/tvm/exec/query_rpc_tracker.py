"""The servers of a tracker: `python -m s2s.tvm.exec.query_rpc_tracker --host=127.0.0.1 --port=9190`."""

import argparse
import os
import sys

from s2s.tvm.exec.starting import ended
from s2s.tvm.rpc.client import connect_tracker
from s2s.tvm.rpc.tracker import FIRST_PORT


def main() -> int:
    """Print the summary of a tracker."""
    parser = argparse.ArgumentParser(prog="python -m s2s.tvm.exec.query_rpc_tracker", description=__doc__)
    parser.add_argument("--host", default=os.environ.get("TVM_TRACKER_HOST", "127.0.0.1"), help="its host")
    port = int(os.environ.get("TVM_TRACKER_PORT", FIRST_PORT))
    parser.add_argument("--port", type=int, default=port, help="its port")
    words = parser.parse_args()
    return ended(parser, lambda: print(connect_tracker(words.host, words.port).text_summary()))  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
