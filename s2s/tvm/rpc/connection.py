"""The connection of a client to its session: a Dask client, the task that holds the place, and calls."""

import gc
import pickle
import threading
import uuid
from queue import Empty, Queue
from typing import Any

from s2s.errors import InputError
from s2s.farm.library import TRIAL, distributed
from s2s.farm.security import Certificates
from s2s.farm.user_certificates import user_certificates
from s2s.tvm.error import RPCError
from s2s.tvm.rpc.holding import ENDED, ask, hold
from s2s.tvm.rpc.objects import Request

CONNECT_TIMEOUT = "10s"
POLL_SECONDS = 1.0
"""How often it is looked whether the session is still held."""


def address_of(url: str, port: int) -> str:
    """Return the address of a farm: `url` as it is where it says how to talk, by TLS otherwise."""
    return f"{url}:{port}" if url.startswith(("tcp://", "tls://")) else f"tls://{url}:{port}"


def certificates_of(address: str) -> Certificates:
    """Return the certificates for an address: the user's own for TLS, none without."""
    return user_certificates() if address.startswith("tls://") else Certificates()


def connected(address: str, place: str) -> Any:
    """Return a Dask client of the farm at an address; `place` begins the message where nobody answers."""
    security = certificates_of(address).security()
    try:
        return distributed().Client(
            address, timeout=CONNECT_TIMEOUT, security=security, set_as_default=False, name="s2s-session"
        )
    except (OSError, TimeoutError) as error:
        raise InputError(f"{place}: nobody answers at {address} ({error}); start a server there") from error


class Connection:
    """A session that is held in a place of a farm."""

    def __init__(self, client: Any, resource: str, priority: int, seconds: float) -> None:
        self._client = client
        self._token = uuid.uuid4().hex
        self._forgotten: list[int] = []
        topic = f"s2s-session-{self._token}"
        began: Queue[str] = Queue()

        def heard(event: tuple[Any, Any]) -> None:
            began.put(str(event[1]))

        client.subscribe_topic(topic, heard)
        self._held = client.submit(
            hold,
            self._token,
            topic,
            seconds,
            key=topic,
            resources={resource: 1, TRIAL: 1},
            priority=priority,
            pure=False,
        )
        self._address = self._began(began, resource)
        client.unsubscribe_topic(topic)

    def _began(self, began: "Queue[str]", resource: str) -> str:
        """Wait until the place is free, and return the address of its worker. A session of this program that nothing
        refers to may hold it until it is collected."""
        while True:
            try:
                return began.get(timeout=POLL_SECONDS)
            except Empty:
                gc.collect()
            if self._held.status in ("error", "cancelled", "lost"):
                raise RPCError(f"session in {resource}: cannot begin ({self._held.exception()}); see the server")

    def invoke(self, number: int, method: str, /, *arguments: Any, **keywords: Any) -> Any:
        """Call a method of an object of the session; the result is returned, an error is raised."""
        forgotten, self._forgotten = tuple(self._forgotten), []
        packed = pickle.dumps(Request(number, method, arguments, keywords, forgotten))
        future = self._client.submit(
            ask,
            self._token,
            packed,
            key=f"s2s-call-{uuid.uuid4().hex}",
            workers=[self._address],
            allow_other_workers=False,
            pure=False,
        )
        succeeded, value = pickle.loads(self._result(future))
        if not succeeded:
            raise value
        return value

    def forget(self, number: int) -> None:
        """Let the session forget an object, with the next call."""
        self._forgotten.append(number)

    def end(self) -> None:
        """Give the place back."""
        self._held.release()

    def _result(self, future: Any) -> bytes:
        """The answer; an error where the session is no more."""
        done = threading.Event()

        def finish(_: Any) -> None:
            done.set()

        future.add_done_callback(finish)
        while not done.wait(POLL_SECONDS):
            if self._held.status != "pending" and not done.wait(POLL_SECONDS):
                raise RPCError(ENDED)
        return future.result()
