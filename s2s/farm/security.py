"""TLS between tuners, scheduler and workers, by Dask's own security."""

from typing import Any

from s2s.errors import InputError
from s2s.farm.library import distributed
from s2s.support.frozen import frozen


@frozen
class Certificates:
    """Files in PEM: the authority that all sides trust, and the certificate and key of this side."""

    authority: str = ""
    certificate: str = ""
    key: str = ""

    @property
    def arguments(self) -> list[str]:
        """The options of a command line that give the same."""
        pairs = {"--tls-ca": self.authority, "--tls-cert": self.certificate, "--tls-key": self.key}
        return [word for pair in pairs.items() for word in pair if pair[1]]

    def check(self, address: str) -> None:
        """Refuse certificates without TLS, and TLS without certificates."""
        given = [bool(each) for each in (self.authority, self.certificate, self.key)]
        if any(given) and not all(given):
            raise InputError("--tls-ca, --tls-cert, --tls-key: one is missing; give all three")
        if address.startswith("tls:") != all(given):
            raise InputError(f"{address}: TLS wants tls:// and --tls-ca, --tls-cert and --tls-key; give all or none")

    def security(self) -> Any:
        """Return Dask's security; None without certificates."""
        if not self.certificate:
            return None
        roles = ("client", "scheduler", "worker")
        pairs = {f"tls_{role}_cert": self.certificate for role in roles}
        pairs |= {f"tls_{role}_key": self.key for role in roles}
        return distributed().Security(tls_ca_file=self.authority, require_encryption=True, **pairs)
