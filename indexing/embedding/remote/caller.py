"""Requests to one endpoint: bounded in time and size, repeated where that helps, never redirected."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx2

from indexing.embedding.remote.retry import Patience, retry_after
from workbench import __version__
from workbench.errors import ModelUnavailableError
from workbench.llm.endpoint import Endpoint
from workbench.llm.key import Key

_MOST_EXPLAINED = 64 * 1024
_SHOWN = 200
_AGAIN = frozenset({408, 409, 425, 429})
_DENIED = frozenset({401, 403})
_SPENT = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
_CODES = ("code", "type", "reason")
_BAD_KEY = "API_KEY_INVALID"
_MEANWHILE = "words are searched meanwhile; what was embedded is kept, and the next run goes on from there"


class RefusedTextsError(Exception):
    """A request was understood and refused: something in its texts, perhaps. The message is the server's."""


class OutageError(ModelUnavailableError):
    """It does not answer now, and may later. ``status`` is its last one; 0 when none came."""

    def __init__(self, message: str, *, status: int = 0) -> None:
        super().__init__(message, hint=_MEANWHILE)
        self.status = status


class _AgainError(Exception):
    """Worth another try, ``after`` so many seconds at least; else ``outage`` it is."""

    def __init__(self, outage: OutageError, after: float | None = None) -> None:
        super().__init__(outage.message)
        self.outage = outage
        self.after = after


class Caller:
    """Posts JSON below one endpoint and returns JSON. To be used in one event loop.

    The environment's proxies are used for public endpoints (through a tunnel: they see no text) and not for
    private ones. Nothing that is raised holds the key or a request.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        key: Key,
        headers: dict[str, str],
        *,
        timeout: float,
        concurrency: int,
        patience: Patience,
    ) -> None:
        self._endpoint = endpoint
        self._key = key
        self._timeout = timeout
        self._patience = patience
        self._waited = 0.0
        self._stopped: ModelUnavailableError | None = None
        try:
            self._client = httpx2.AsyncClient(
                headers={
                    "User-Agent": f"memory-workbench/{__version__}",
                    "Accept": "application/json",
                    "Accept-Encoding": "identity",  # else a small answer could unpack into a huge one
                    "Content-Type": "application/json",
                    **headers,
                },
                timeout=timeout,
                limits=httpx2.Limits(max_connections=concurrency, max_keepalive_connections=concurrency),
                mounts=dict.fromkeys(("http://", "https://", "all://")) if endpoint.private else None,
                follow_redirects=False,
            )
        except Exception:  # the environment's proxies and certificates; what is said of them may be secret
            raise ModelUnavailableError(
                "the proxy or the certificates that the environment names cannot be used",
                hint="look at HTTPS_PROXY, ALL_PROXY, SSL_CERT_FILE and SSL_CERT_DIR",
            ) from None

    def stop(self, why: ModelUnavailableError | None) -> None:
        """Try nothing again from now on; None takes that back."""
        self._stopped = why

    async def post(self, path: str, body: object, *, most: int, attempts: int = 0) -> object:
        """The answer to ``body``, of ``most`` bytes at most.

        Raises RefusedTextsError, OutageError when all ``attempts`` failed, and ModelUnavailableError when
        asking again is of no use.
        """
        data = json.dumps(body).encode("ascii")
        failures = 0
        while True:
            try:
                answer = await self._once(path, data, most)
            except _AgainError as failed:
                failures += 1
                delay = self._patience.delay(failures, failed.after)
                last = failures >= (attempts or self._patience.attempts)
                if last or self._stopped or self._waited + delay > self._patience.total:
                    raise failed.outage from None
                self._waited += delay
            else:
                self._waited = 0.0
                return answer
            await self._patience.sleep(delay)

    async def close(self) -> None:
        """Let the connections go."""
        await self._client.aclose()

    async def _once(self, path: str, data: bytes, most: int) -> object:
        where = self._endpoint.host
        try:
            async with asyncio.timeout(self._timeout):  # in all: a server that sends a byte a second too
                url = self._endpoint.url + path
                async with self._client.stream("POST", url, content=data) as response:
                    status, headers = response.status_code, response.headers
                    limit = most if status == 200 else _MOST_EXPLAINED
                    received = await _received(response, limit)
        except TimeoutError:
            raise _AgainError(
                OutageError(f"{where} did not answer within {self._timeout:g} seconds")
            ) from None
        except httpx2.ConnectError:
            raise _AgainError(OutageError(f"{where} cannot be reached")) from None
        except httpx2.TimeoutException:
            raise _AgainError(
                OutageError(f"{where} did not answer within {self._timeout:g} seconds")
            ) from None
        except httpx2.ProxyError:
            raise _AgainError(OutageError(f"the proxy on the way to {where} refuses")) from None
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError):
            raise _AgainError(OutageError(f"the connection to {where} broke off")) from None
        if status == 200:
            return self._read(received, headers)
        self._refuse(status, received or b"", headers)
        raise AssertionError("every other status is refused")

    def _read(self, received: bytes | None, headers: Any) -> object:
        where = self._endpoint.host
        if received is None:
            raise _AgainError(OutageError(f"{where} answered far more than vectors", status=200))
        if headers.get("content-encoding", "identity") not in ("", "identity"):
            raise _AgainError(OutageError(f"{where} packed its answer, unasked", status=200))
        try:
            return json.loads(received)
        except (ValueError, RecursionError):
            raise _AgainError(
                OutageError(f"{where} answered something that is no JSON", status=200)
            ) from None

    def _refuse(self, status: int, received: bytes, headers: Any) -> None:
        where = self._endpoint.host
        said, code = _explained(received, self._key)
        if status in _DENIED or (status == 400 and _BAD_KEY in code):
            raise ModelUnavailableError(  # what it says of a key may hold a part of it
                f"{where} refuses the key ({status}); it is from: {self._key.source}",
                hint="OPENAI_API_KEY and GEMINI_API_KEY go to their public addresses alone; for another one "
                "name the variable in embedding_key_env",
            )
        if status == 429 and code & _SPENT:
            raise ModelUnavailableError(
                f"{where} says that the account has nothing left to spend", hint=_MEANWHILE
            )
        if 300 <= status < 400:
            raise ModelUnavailableError(
                f"{where} redirects to another address, where neither key nor text is sent",
                hint="correct embedding_endpoint in your settings",
            )
        if status == 404:
            raise ModelUnavailableError(
                f"{where} knows no such model or address (404){said}",
                hint="look at embedding_endpoint (with its /v1) and embedding_model in your settings",
            )
        if status in _AGAIN or status >= 500 or status < 300:
            after = retry_after(headers.get("retry-after"))
            raise _AgainError(OutageError(f"{where} answered {status}{said}", status=status), after)
        raise RefusedTextsError(f"{where} answered {status}{said}")


async def _received(response: httpx2.Response, most: int) -> bytes | None:
    """The body as it travelled, or None when it is larger than ``most``."""
    parts, size = [], 0
    async for part in response.aiter_raw():
        size += len(part)
        if size > most:
            return None
        parts.append(part)
    return b"".join(parts)


def _explained(received: bytes, key: Key) -> tuple[str, frozenset[str]]:
    """``: what the server says`` in a short line without the key, and the codes that it gives for it."""
    try:
        found = json.loads(received)
    except (ValueError, RecursionError):
        return "", frozenset()
    error = found.get("error", found) if isinstance(found, dict) else found
    codes: set[str] = set()
    if isinstance(error, dict):
        details = error.get("details")
        for one in [error, *(details if isinstance(details, list) else [])]:
            if isinstance(one, dict):
                codes |= {value for key in _CODES if isinstance(value := one.get(key), str)}
        error = error.get("message", error.get("detail", ""))
    words = " ".join(str(error).split()) if isinstance(error, str) else ""
    words = key.conceal("".join(letter for letter in words if letter.isprintable()))  # before it is cut
    short = words if len(words) <= _SHOWN else words[:_SHOWN] + "…"
    return (f": {short}" if short else ""), frozenset(codes)
