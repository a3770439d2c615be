"""Where a provider is: one normal form for each address, and nothing secret in it."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from workbench.errors import ModelUnavailableError

_PORTS = {"http": 80, "https": 443}
_HOST = re.compile(r"[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9_])?")
_NUMBER = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)")
"""A host that ends like this is an IPv4 address in one of its other notations, such as 134744072."""
_PATH = re.compile(r"(/[A-Za-z0-9._~-]+)*")
_PRIVATE_NAMES = (".localhost", ".local", ".internal", ".lan", ".home.arpa", ".test")
_HINT = "write it like https://api.openai.com/v1 or http://localhost:11434/v1"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address below which a provider answers. ``url`` has no slash at its end and no credentials.

    ``private``: on this machine or in its own network, so that nobody charges for it.
    """

    url: str
    host: str
    private: bool


def endpoint_of(text: str, setting: str = "embedding") -> Endpoint:
    """The endpoint that ``text`` names, as ``<setting>_endpoint`` of the person's settings says it.

    Raises ModelUnavailableError, which never quotes what may be secret.

    Plain http is for private addresses only: what is sent is somebody's memory.
    """
    key_hint = f"put the key into {setting}_key or the environment"
    try:
        parts = urlsplit(text.strip())
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError as error:
        raise _refused(setting, "is no address") from error
    if parts.scheme not in _PORTS:
        raise _refused(setting, "must begin with https:// or http://")
    if parts.username is not None or parts.password is not None:
        raise _refused(setting, "holds a name or a password", key_hint)
    if parts.query or parts.fragment:
        raise _refused(setting, "has more than a path", key_hint)
    path = parts.path.rstrip("/")
    address = _address(host)
    named = address is not None or (_HOST.fullmatch(host) and not _NUMBER.fullmatch(host))
    if not named or not _PATH.fullmatch(path) or "/.." in path:
        raise _refused(setting, "is no address")
    private = _private(host, address)
    if parts.scheme == "http" and not private:
        raise _refused(setting, f"is not encrypted, and {host} is not in your own network", "use https://")
    shown = f"[{host}]" if ":" in host else host
    if port is not None and port != _PORTS[parts.scheme]:
        shown += f":{port}"
    return Endpoint(f"{parts.scheme}://{shown}{path}", shown, private)


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _private(host: str, address: ipaddress.IPv4Address | ipaddress.IPv6Address | None) -> bool:
    """By the name alone: asking a name server would tell it, and answers change."""
    if address is not None:
        return address.is_loopback or address.is_private or address.is_link_local
    return "." not in host or host.endswith(_PRIVATE_NAMES)


def _refused(setting: str, why: str, hint: str = _HINT) -> ModelUnavailableError:
    return ModelUnavailableError(f"{setting}_endpoint in your settings {why}", hint=hint)
