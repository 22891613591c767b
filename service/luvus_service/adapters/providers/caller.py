"""Calls one endpoint over HTTP: an answer of a model, or its list of models, and their failures.

Knows no wire format but through `WireFormat`, and never tries again by itself. Imported with the
first request.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing
from typing import Final, NoReturn
from urllib.parse import urlsplit

from luvus_service.adapters.providers import allowance, discovery
from luvus_service.adapters.providers.anthropic import AnthropicMessages
from luvus_service.adapters.providers.endpoint import Endpoint
from luvus_service.adapters.providers.errors import (
    Fault,
    fault_in_stream,
    fault_of_status,
    long_wait,
    retry_after,
)
from luvus_service.adapters.providers.json_view import View, decoded, encoded
from luvus_service.adapters.providers.keys import KeyFault, Secret, hidden
from luvus_service.adapters.providers.openai_chat import ChatCompletions
from luvus_service.adapters.providers.openai_responses import OpenAIResponses
from luvus_service.adapters.providers.sse import EventStream, GarbledStream
from luvus_service.adapters.providers.transport import Http, HttpFault, Reply, Waits
from luvus_service.adapters.providers.wire import (
    FormatName,
    Reader,
    StreamFault,
    WireFormat,
    without_thinking,
)
from luvus_service.luxe.domain.limits import RETRY_AFTER_S
from luvus_service.luxe.domain.ports import (
    AllowanceRead,
    Delta,
    ModelRequest,
    ProviderFailure,
    ThinkingGiven,
)
from luvus_service.luxe.domain.values import ErrorCode, Model, PlanUsage

ERROR_BYTES: Final = 64 * 1024
"""Read of an answer that is no success."""
LIST_BYTES: Final = 16 * 1024 * 1024
"""Read of a list of models."""
LIST_S: Final = 20.0
"""For a list of models, in all."""
TRAIL_S: Final = 5.0
"""Waited for the usage that may follow a complete answer."""
DRAIN_S: Final = 0.1
"""Waited for the end of a body whose last event came."""

FORMATS: Final[Mapping[FormatName, Callable[[], WireFormat]]] = {
    "anthropic": AnthropicMessages,
    "openai-chat": ChatCompletions,
    "openai-responses": OpenAIResponses,
}


class Caller:
    """Sends the requests of one endpoint."""

    def __init__(
        self, endpoint: Endpoint, http: Http, *, now: Callable[[], float] = time.time
    ) -> None:
        self.endpoint = endpoint
        self._http = http
        self._now = now
        self._format = FORMATS[endpoint.format]()
        self._plan: PlanUsage | None = None
        self.name = endpoint.name

    async def listed(self, known: Mapping[str, Model]) -> list[Model]:
        """Return the models of the endpoint's list that are not known yet."""
        return discovery.listed(await self._list(), self.endpoint, known)

    async def answer(self, request: ModelRequest) -> AsyncGenerator[Delta, None]:
        """Call the model once."""
        secret = self._secret()
        begun = False
        async with aclosing(self._attempt(request, secret)) as deltas:
            try:
                async for delta in deltas:
                    begun = begun or not isinstance(delta, AllowanceRead)
                    yield delta
            except ProviderFailure as failure:
                if begun or not _refuses_thinking(failure) or not _has_thinking(request):
                    raise
            else:
                return
        # Signatures bind reasoning to the text before it, which a compaction changes. The refusal
        # was no try: nothing was computed.
        async with aclosing(self._attempt(without_thinking(request), secret)) as deltas:
            async for delta in deltas:
                yield delta

    # One request

    async def _attempt(
        self, request: ModelRequest, secret: Secret | None
    ) -> AsyncGenerator[Delta, None]:
        endpoint = self.endpoint
        try:
            body = encoded(self._format.body(request, endpoint.dialect))
        except ValueError as error:
            self._raise(Fault("invalid_request", f"the request cannot be written: {error}"), secret)
        headers = {
            "content-type": "application/json",
            "accept": "text/event-stream",
            "accept-encoding": "identity",
            **self._headers(secret),
        }
        waits = Waits(endpoint.connect_s, endpoint.silence_s)
        reader = self._format.reader()
        begun = False
        try:
            async with self._http.request(
                "POST", endpoint.base_url + self._format.path, headers, body, waits
            ) as reply:
                await self._check(reply, secret)
                for delta in self._allowance(reply.headers):
                    yield delta
                async with aclosing(self._deltas(reply.chunks, reader)) as deltas:
                    async for delta in deltas:
                        begun = True
                        yield delta
        except HttpFault as fault:
            if not reader.complete:
                self._fail(fault, secret, begun=begun)
        except StreamFault as fault:
            self._raise(fault_in_stream(fault.body), secret)
        except GarbledStream as fault:
            self._garbled(fault, secret)
        try:
            last = reader.finish()
        except GarbledStream as fault:
            self._garbled(fault, secret)
        for delta in last:
            yield delta

    async def _deltas(
        self, chunks: AsyncIterator[bytes], reader: Reader
    ) -> AsyncGenerator[Delta, None]:
        """Yield what the stream says up to its end; the end itself is left to the reader."""
        stream = EventStream()
        loop = asyncio.get_running_loop()
        progress = loop.time()
        while (chunk := await _next_chunk(chunks, reader)) is not None:
            for event in stream.feed(chunk):
                for delta in reader.read(event):
                    progress = loop.time()
                    yield delta
            if loop.time() - progress > self.endpoint.stall_s:
                raise HttpFault("timeout", "signs of life, but no answer")
        for delta in _last(stream, reader):
            yield delta
        if not reader.complete:
            raise HttpFault("cut", "the answer stopped before its end")

    async def _check(self, reply: Reply, secret: Secret | None) -> None:
        kind = reply.headers.get("content-type", "").lower()
        if reply.status == 200 and not kind.startswith(("application/json", "text/html")):
            return
        body = await _bounded(reply.chunks, ERROR_BYTES)
        if reply.status == 200:
            fault = fault_of_status(400, body)
            said = fault.said or "nothing"
            self._raise(
                Fault(fault.code, f"an answer that is no event stream: {said}", status=200), secret
            )
        if 300 <= reply.status < 400:
            place = urlsplit(reply.headers.get("location", "")).hostname or "another address"
            self._raise(
                Fault(
                    "invalid_request",
                    f"a redirect to {place}, which is not followed; correct the base address",
                    status=reply.status,
                ),
                secret,
            )
        self._raise(fault_of_status(reply.status, body), secret, retry_after(reply.headers))

    def _allowance(self, headers: Mapping[str, str]) -> list[Delta]:
        plan = allowance.plan_usage(self.name, headers, self._now())
        if plan is None or not allowance.changed(self._plan, plan):
            return []
        self._plan = plan
        return [AllowanceRead(plan)]

    async def _list(self) -> View:
        secret = self._secret()
        url = (
            self.endpoint.base_url
            + self._format.models_path
            + discovery.QUERY.get(self.endpoint.format, "")
        )
        waits = Waits(self.endpoint.connect_s, LIST_S)
        try:
            async with (
                asyncio.timeout(LIST_S),
                self._http.request("GET", url, self._headers(secret), None, waits) as reply,
            ):
                body = await _bounded(reply.chunks, LIST_BYTES)
        except HttpFault as fault:
            self._fail(fault, secret, begun=False)
        except TimeoutError:
            self._raise(Fault("timeout", "no list of models in time", retryable=True), secret)
        if reply.status != 200:
            self._raise(fault_of_status(reply.status, body), secret, retry_after(reply.headers))
        try:
            return decoded(body)
        except ValueError:
            self._raise(Fault("invalid_request", "a list of models nobody can read"), secret)

    # Credentials and failures

    def _headers(self, secret: Secret | None) -> dict[str, str]:
        key = None if secret is None else secret.value
        bearer = secret is not None and secret.bearer
        return {**self._format.headers(key, bearer=bearer), **self.endpoint.headers}

    def _secret(self) -> Secret | None:
        try:
            secret = self.endpoint.keys.read()
        except KeyFault as fault:
            raise ProviderFailure("auth", f"{self.name}: {fault}", provider=self.name) from None
        if secret is None and (missing := self.endpoint.keys.missing()) is not None:
            raise ProviderFailure(
                "auth", f"{self.name} has no credential; set {missing}", provider=self.name
            )
        return secret

    def _fail(self, fault: HttpFault, secret: Secret | None, *, begun: bool) -> NoReturn:
        place = urlsplit(self.endpoint.base_url).netloc
        codes: dict[str, ErrorCode] = {
            "connect": "provider_unavailable",
            "timeout": "timeout",
            "broken": "stream_interrupted" if begun else "provider_unavailable",
            "cut": "stream_interrupted",
            "address": "invalid_request",
        }
        code = codes[fault.kind]
        self._raise(Fault(code, f"{fault} ({place})", fault.kind != "address"), secret)

    def _garbled(self, fault: GarbledStream, secret: Secret | None) -> NoReturn:
        said = f"an answer nobody can read: {fault}"
        self._raise(Fault("stream_interrupted", said, retryable=True), secret)

    def _raise(
        self, fault: Fault, secret: Secret | None, retry_after_s: float | None = None
    ) -> NoReturn:
        secrets = [*self.endpoint.headers.values()]
        if secret is not None:
            secrets.append(secret.value)
        status = "" if fault.status is None else f" ({fault.status})"
        said = hidden(fault.said, secrets) or fault.code.replace("_", " ")
        if retry_after_s is not None and retry_after_s > RETRY_AFTER_S:
            said += f"; it asks to wait {long_wait(retry_after_s)}"
        raise ProviderFailure(
            fault.code,
            f"{self.name}{status}: {said}",
            provider=self.name,
            retryable=fault.retryable,
            status=fault.status,
            retry_after_s=retry_after_s,
        ) from None


async def _next_chunk(chunks: AsyncIterator[bytes], reader: Reader) -> bytes | None:
    """Return the next chunk; once the answer is complete, only one that comes soon.

    Reading to the end of the body lets the connection be used again.
    """
    limit = DRAIN_S if reader.closed else TRAIL_S if reader.complete else None
    try:
        async with asyncio.timeout(limit):
            return await anext(chunks, None)
    except TimeoutError:
        return None


def _last(stream: EventStream, reader: Reader) -> list[Delta]:
    """Return what a last event without its empty line says; half of one says nothing."""
    try:
        return [delta for event in stream.finish() for delta in reader.read(event)]
    except GarbledStream:
        return []


async def _bounded(chunks: AsyncIterator[bytes], limit: int) -> bytes:
    """Return the beginning of a body."""
    pieces: list[bytes] = []
    size = 0
    async for chunk in chunks:
        pieces.append(chunk)
        size += len(chunk)
        if size >= limit:
            break
    return b"".join(pieces)[:limit]


def _has_thinking(request: ModelRequest) -> bool:
    return any(isinstance(p, ThinkingGiven) for m in request.messages for p in m.parts)


def _refuses_thinking(failure: ProviderFailure) -> bool:
    said = str(failure).lower()
    return failure.info.status == 400 and any(
        word in said for word in ("thinking", "signature", "reasoning", "encrypted content")
    )
