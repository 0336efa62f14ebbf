"""The address of a tracker as it stands on the command line of the driver."""

from urllib.parse import urlsplit

PORT = 9090
"""Where nobody says another one."""


def tracker_host_port_from_cli(rpc_tracker_str: str | None) -> tuple[str | None, int | None]:
    """Return host and port of `host:port` or `host`; (None, None) of nothing."""
    if not rpc_tracker_str:
        return None, None
    scheme, separator, rest = rpc_tracker_str.rpartition("://")
    where = urlsplit(f"//{rest}")
    return f"{scheme}{separator}{where.hostname or ''}", where.port or PORT


__all__ = ["tracker_host_port_from_cli"]
