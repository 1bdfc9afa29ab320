"""HTTP/1.1 under the HTTP front: uvicorn's protocol on httptools, with a quicker way through one request.

The connection (keep-alive, pipelining, limits on buffers, shutdown, what is no HTTP) is uvicorn's own. What differs is
what a request costs: head and body of an answer leave in one write, headers that come again on a connection are not
judged again, a request whose body is there is read without waiting, and one timer watches an idle connection however
many requests it carries. What an application sees is ASGI as before. Subclasses what uvicorn does not promise to keep;
tests/app/serving hold its behaviour to that of uvicorn's own protocol.
"""

import asyncio
import re
import urllib.parse
from typing import Any

import httptools
from uvicorn.protocols.http.flow_control import HIGH_WATER_LIMIT
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

Message = Any

# RFC 9110 section 5.1 and 5.5: what may not stand in a header that is sent.
_BAD_NAME = re.compile(rb"[^!#$%&'*+\-.^_`|~0-9A-Za-z]")
_BAD_VALUE = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")
_WITHOUT_BODY = frozenset({204, 304})


class _Turn:
    """What an application waits for between parts of a request: `asyncio.Event`, but made when somebody waits."""

    __slots__ = ("_is_set", "_waiter")

    def __init__(self) -> None:
        self._is_set = False
        self._waiter: asyncio.Future[None] | None = None

    def set(self) -> None:
        self._is_set = True
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def clear(self) -> None:
        self._is_set = False

    async def wait(self) -> None:
        while not self._is_set:
            if self._waiter is None or self._waiter.done():
                self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter


class QuickCycle(RequestResponseCycle):
    """One request and its answer. `receive`, errors and the outermost ring are uvicorn's."""

    _head: bytes | None = None

    async def send(self, message: Message) -> None:
        """ASGI's send. The head of an answer whose length is known waits for its body, which is there already."""
        if self.flow.write_paused and not self.disconnected:
            await self.flow.drain()
        if self.disconnected:
            return
        kind = message["type"]
        if not self.response_started:
            if kind != "http.response.start":
                raise RuntimeError(f"Expected ASGI message 'http.response.start', but got '{kind}'.")
            self.response_started = True
            self.waiting_for_100_continue = False
            head = self._make_head(message["status"], message.get("headers", ()))
            if self.chunked_encoding:
                self.transport.write(head)
            else:
                self._head = head
        elif not self.response_complete:
            if kind != "http.response.body":
                raise RuntimeError(f"Expected ASGI message 'http.response.body', but got '{kind}'.")
            self._send_body(message.get("body", b""), is_last=not message.get("more_body", False))
        else:
            raise RuntimeError(f"Unexpected ASGI message '{kind}' sent, after response already completed.")

    def _make_head(self, status: int, headers: Any) -> bytes:
        lines = [STATUS_LINE[status]]
        closes = False
        for name, value in (*self.default_headers, *headers):
            if _BAD_NAME.search(name) or _BAD_VALUE.search(value):
                raise RuntimeError("Invalid HTTP header.")
            name = name.lower()
            if name == b"content-length" and self.chunked_encoding is None:
                self.expected_content_length = int(value)
                self.chunked_encoding = False
            elif name == b"transfer-encoding" and value.lower() == b"chunked":
                self.expected_content_length = 0
                self.chunked_encoding = True
            elif name == b"connection" and b"close" in [token.lower().strip() for token in value.split(b",")]:
                self.keep_alive = False
                closes = True
            lines += (name, b": ", value, b"\r\n")
        if not self.keep_alive and not closes:
            lines.append(b"connection: close\r\n")
        if self.chunked_encoding is None and self.scope["method"] != "HEAD" and status not in _WITHOUT_BODY:
            self.chunked_encoding = True
            lines.append(b"transfer-encoding: chunked\r\n")
        lines.append(b"\r\n")
        return b"".join(lines)

    def _send_body(self, body: bytes, *, is_last: bool) -> None:
        if self.scope["method"] == "HEAD":
            self.expected_content_length = 0
            body = b""
        elif self.chunked_encoding:
            body = b"%x\r\n%b\r\n" % (len(body), body) if body else b""
            if is_last:
                body += b"0\r\n\r\n"
        else:
            if len(body) > self.expected_content_length:
                raise RuntimeError("Response content longer than Content-Length")
            self.expected_content_length -= len(body)
        if self._head is not None:
            body, self._head = self._head + body, None
        if body:
            self.transport.write(body)
        if is_last:
            if self.expected_content_length:
                raise RuntimeError("Response content shorter than Content-Length")
            self.response_complete = True
            self.message_event.set()
            if not self.keep_alive:
                self.transport.close()
            self.on_response()


class QuickHttpProtocol(HttpToolsProtocol):
    """One connection of the HTTP front."""

    _seen_url: bytes | None = None
    _seen_target: tuple[str, bytes, bytes] = ("", b"", b"")
    _idle_since: float | None = None

    def on_message_begin(self) -> None:
        """httptools: a request begins."""
        self.url = b""
        self.expect_100_continue = False
        self.headers = []

    def on_headers_complete(self) -> None:
        """httptools: the head of a request is there; its application starts."""
        parser = self.parser
        version = parser.get_http_version()
        if self.url != self._seen_url:
            self._seen_url, self._seen_target = self.url, self._read_target(self.url)
        path, raw_path, query = self._seen_target
        self.scope = {
            "type": "http",
            "asgi": {"version": self.asgi_version, "spec_version": "2.3"},
            "http_version": version,
            "server": self.server,
            "client": self.client,
            "scheme": self.scheme,  # type: ignore[typeddict-item]
            "root_path": self.root_path,
            "headers": self.headers,
            "state": self.app_state.copy(),
            "method": parser.get_method().decode("ascii"),
            "path": path,
            "raw_path": raw_path,
            "query_string": query,
        }
        before = self.cycle
        self.cycle = QuickCycle(
            scope=self.scope,
            transport=self.transport,
            flow=self.flow,
            logger=self.logger,
            access_logger=self.access_logger,
            access_log=False,
            default_headers=self.server_state.default_headers,
            message_event=_Turn(),  # type: ignore[arg-type]
            expect_100_continue=self.expect_100_continue,
            keep_alive=version != "1.0" and parser.should_keep_alive(),
            on_response=self.on_response_complete,
        )
        if before is None or before.response_complete:
            self._start_asgi_task(self.cycle, self.app)
        else:
            self.flow.pause_reading()
            self.pipeline.appendleft((self.cycle, self.app))

    def on_body(self, body: bytes) -> None:
        """httptools: a part of a body."""
        cycle = self.cycle
        if cycle.response_complete:
            return
        cycle.body += body
        if len(cycle.body) > HIGH_WATER_LIMIT:
            self.flow.pause_reading()
        cycle.message_event.set()

    def on_message_complete(self) -> None:
        """httptools: a request is whole."""
        cycle = self.cycle
        if not cycle.response_complete:
            cycle.more_body = False
            cycle.message_event.set()

    def on_response_complete(self) -> None:
        """An answer is out: the next request of a pipeline starts, or the connection is idle."""
        self.server_state.total_requests += 1
        if self.transport.is_closing():
            return
        self.flow.resume_reading()
        if self.pipeline:
            cycle, application = self.pipeline.pop()
            self._start_asgi_task(cycle, application)
            return
        self._idle_since = self.loop.time()
        if self.timeout_keep_alive_task is None:
            self.timeout_keep_alive_task = self.loop.call_later(
                self.timeout_keep_alive, self.timeout_keep_alive_handler
            )

    def _unset_keepalive_if_required(self) -> None:
        self._idle_since = None
        if self.transport.is_closing() and self.timeout_keep_alive_task is not None:
            self.timeout_keep_alive_task.cancel()
            self.timeout_keep_alive_task = None

    def timeout_keep_alive_handler(self) -> None:
        """Closes a connection that has been idle for long enough, and looks again later at any other."""
        self.timeout_keep_alive_task = None
        if self._idle_since is None or self.transport.is_closing():
            return
        left = self._idle_since + self.timeout_keep_alive - self.loop.time()
        if left <= 0:
            self.transport.close()
        else:
            self.timeout_keep_alive_task = self.loop.call_later(left, self.timeout_keep_alive_handler)

    def connection_lost(self, exc: Exception | None) -> None:
        """asyncio: the connection has ended."""
        super().connection_lost(exc)
        if self.timeout_keep_alive_task is not None:
            self.timeout_keep_alive_task.cancel()
            self.timeout_keep_alive_task = None

    def _read_target(self, url: bytes) -> tuple[str, bytes, bytes]:
        """Path, raw path and query of a request's target."""
        parsed = httptools.parse_url(url)
        path = parsed.path.decode("ascii")
        if "%" in path:
            path = urllib.parse.unquote(path)
        return self.root_path + path, self.root_path.encode("ascii") + parsed.path, parsed.query or b""
