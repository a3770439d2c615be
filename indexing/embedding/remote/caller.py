"""Requests to one provider through the OpenAI client; what went wrong is said in the person's words."""

from __future__ import annotations

import httpx2
import openai

from indexing.embedding.remote.provider import Service
from workbench.errors import ModelUnavailableError
from workbench.llm.openai_compatible import UnusableAnswerError, explained, has_spent_all, open_client

_ANSWER_BYTES = 1_000_000
_VECTOR_BYTES = 256_000
_MEANWHILE = "words are searched meanwhile; what was embedded is kept, and the next run goes on from there"


class RefusedTextsError(Exception):
    """A request was understood and refused: something in its texts, perhaps. The message is the server's."""


class OutageError(ModelUnavailableError):
    """It does not answer now, and may later. ``status`` is its last one; 0 when none came."""

    def __init__(self, message: str, *, status: int = 0) -> None:
        super().__init__(message, hint=_MEANWHILE)
        self.status = status


class Caller:
    """Posts JSON to one service and returns JSON. To be used in one event loop.

    Nothing that is raised holds the key or a request.
    """

    def __init__(self, service: Service, *, timeout: float, retries: int) -> None:
        self._host = service.endpoint.host
        self._key = service.key
        self._timeout = timeout
        self._retries = retries
        self._client = open_client(
            service.endpoint,
            service.dialect.headers(service.key.secret),
            timeout=timeout,
            most=_ANSWER_BYTES + service.batch * _VECTOR_BYTES,
            retries=retries,
        )

    async def post(self, path: str, body: object, *, retries: int | None = None) -> object:
        """The answer to ``body``; ``retries`` in place of the usual ones.

        Raises RefusedTextsError, OutageError when all tries failed, and ModelUnavailableError when asking
        again is of no use.
        """
        allowed = self._retries if retries is None else retries
        try:
            return await self._client.post(path, cast_to=object, body=body, options={"max_retries": allowed})
        except openai.APIStatusError as error:
            raise self._refusal(error) from None
        except openai.APITimeoutError:
            raise OutageError(f"{self._host} did not answer within {self._timeout:g} seconds") from None
        except openai.APIConnectionError as error:
            raise self._outage(error.__cause__) from None

    async def close(self) -> None:
        """Let the connections go."""
        await self._client.close()

    def _outage(self, cause: BaseException | None) -> OutageError:
        if isinstance(cause, UnusableAnswerError):
            return OutageError(f"{self._host} {cause}", status=200)
        if isinstance(cause, httpx2.ConnectError):
            return OutageError(f"{self._host} cannot be reached")
        if isinstance(cause, httpx2.ProxyError):
            return OutageError(f"the proxy on the way to {self._host} refuses")
        return OutageError(f"the connection to {self._host} broke off")

    def _refusal(self, error: openai.APIStatusError) -> Exception:
        where, status, said = self._host, error.status_code, explained(error, self._key)
        if status in (401, 403) or (status == 400 and "API_KEY_INVALID" in str(error.body)):
            return ModelUnavailableError(  # what it says of a key may hold a part of it
                f"{where} refuses the key ({status}); it is from: {self._key.source}",
                hint="OPENAI_API_KEY and GEMINI_API_KEY go to their public addresses alone; for another one "
                "name the variable in embedding_key_env",
            )
        if has_spent_all(error):
            return ModelUnavailableError(
                f"{where} says that the account has nothing left to spend", hint=_MEANWHILE
            )
        if 300 <= status < 400:
            return ModelUnavailableError(
                f"{where} redirects to another address, where neither key nor text is sent",
                hint="correct embedding_endpoint in your settings",
            )
        if status == 404:
            return ModelUnavailableError(
                f"{where} knows no such model or address (404){said}",
                hint="look at embedding_endpoint (with its /v1) and embedding_model in your settings",
            )
        if status in (408, 409, 429) or status >= 500:
            return OutageError(f"{where} answered {status}{said}", status=status)
        return RefusedTextsError(f"{where} answered {status}{said}")
