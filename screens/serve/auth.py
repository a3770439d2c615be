"""Access to the served interface: the token, the host name, and the origin of a request."""

from __future__ import annotations

import hmac
import ipaddress
import secrets
from collections.abc import Mapping

from workbench.errors import UsageError

NAMES = ("127.0.0.1", "localhost", "[::1]")
"""What a browser on this machine may call this machine."""
_TOKEN_BYTES = 24
_TOLD_BY_NOBODY = 80
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "font-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""What every answer says: nothing from elsewhere, nowhere inside another page, and the token goes nowhere."""


def new_token() -> str:
    """A token that nobody guesses; made anew for each start."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


def require_loopback(host: str) -> str:
    """``host`` where it is this machine's own address. Raises UsageError for any other."""
    bare = host.strip("[]")
    try:
        if bare == "localhost" or ipaddress.ip_address(bare).is_loopback:
            return bare
    except ValueError:
        pass
    raise UsageError(
        f"{host} can be reached from other machines; memory is only served on this machine",
        hint="omit --host; over ssh, forward the port: ssh -L 8470:127.0.0.1:8470 …",
    )


def refusal(
    *, token: str, given: str, host: str, origin: str | None, port: int, served: str = NAMES[0]
) -> str | None:
    """Why a request is turned away, or None.

    The token stands in the path, so that every request carries it without a cookie. The Host header reveals a
    page elsewhere that points a name of its own at this machine (DNS rebinding), and the Origin header one
    that opens a connection from its own address.

    ``given`` is the token in its path, ``host`` and ``origin`` are its headers; a browser sends no Origin
    for what a person types. ``served`` is the address that is listened on, ``port`` its port, which no
    browser tells where it is 80.
    """
    if not hmac.compare_digest(given.encode("utf-8", "replace"), token.encode()):
        return "the address has no token: use the one that `workbench serve` printed"
    names = {*NAMES, served}
    hosts = {f"{name}:{port}" for name in names} | (names if port == _TOLD_BY_NOBODY else set())
    if host.lower() not in hosts:
        return "the request used a host name that is not this machine's"
    if origin is not None and origin.lower() != f"http://{host.lower()}":
        return "the request came from another page"
    return None
