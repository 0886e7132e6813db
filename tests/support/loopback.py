"""Test traffic stays on this machine: a connection to anywhere else is an error, not a request."""

import ipaddress
import socket
from typing import Any

LOCAL_NAMES = {"localhost", ""}


def refuse_other_machines() -> None:
    """Let no socket of this process connect to another machine."""
    connect = socket.socket.connect

    def connect_to_loopback(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not _is_local(address[0]):
            raise OSError(f"A test tried to reach {address[0]}: test traffic goes to loopback only.")
        connect(self, address)

    socket.socket.connect = connect_to_loopback  # type: ignore[method-assign, assignment]


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host in LOCAL_NAMES
