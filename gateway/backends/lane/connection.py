"""One HTTP/2 connection to a backend, and the unary calls on it.

A call is one stream: its request is written whole or not taken at all, its reply is read as it comes. What a peer may
not do ends the connection, and every call on it as a broken connection does. This module must never know how a
connection is made, nor what becomes of a call that is not taken.
"""

import asyncio
from collections.abc import Callable
from typing import Final, cast

import grpc.aio

from gateway.backends.lane import frames
from gateway.backends.lane.hpack import HpackError, decode_block
from gateway.backends.lane.replies import (
    MESSAGE_HEAD_BYTES,
    fail,
    is_larger,
    read_ending,
    read_head,
    read_message,
    read_reset,
    refuse_headers,
    refuse_size,
)

# How much the peer may send on all streams before this side says that it has read it.
_RECEIVE_WINDOW_BYTES: Final = 64 * 1024 * 1024
# How many kinds of headers and of trailers are known; beyond, all are forgotten.
_LIMIT_KNOWN: Final = 64
_PING_PATIENCE_SECONDS: Final = 20.0
# What may wait for a peer to read it before no more calls are taken.
_LIMIT_UNSENT_BYTES: Final = 1024 * 1024


class NotTakenError(Exception):
    """The peer says that it has not begun with a call, so that the call may be made again (gRFC A6)."""


class Stream:
    """One call under way. `reply` becomes the message, None for an OK without one, or an exception."""

    __slots__ = ("body", "deadline", "id", "reply", "size")

    def __init__(self, stream_id: int, reply: "asyncio.Future[bytes | None]") -> None:
        self.id = stream_id
        self.reply = reply
        self.body: list[bytes] = []
        self.size = 0
        self.deadline: asyncio.TimerHandle | None = None


class Connection(asyncio.Protocol):
    """A connection from its first byte on.

    `settled` is done when the peer has said what it takes, `lost` when the connection has ended.
    """

    def __init__(self, *, receive_limit_bytes: int, metadata_limit_bytes: int, keepalive_seconds: float) -> None:
        loop = asyncio.get_running_loop()
        self._loop = loop
        self._receive_limit = receive_limit_bytes
        self._metadata_limit = metadata_limit_bytes
        self._keepalive_seconds = keepalive_seconds
        self.settled: asyncio.Future[None] = loop.create_future()
        self.lost: asyncio.Future[None] = loop.create_future()
        self._transport: asyncio.Transport | None = None
        self._streams: dict[int, Stream] = {}
        self._next_id = 1
        # What may still be sent, on the connection and at once on a stream, and how many streams there may be.
        self._window = frames.WINDOW_BYTES
        self._stream_window = frames.WINDOW_BYTES
        self._limit_streams = 2**31
        self._header_limit = 2**31
        self._is_open = False
        self._is_paused = False
        self._outgoing: list[bytes] = []
        self._rest = b""
        self._unacknowledged = 0
        self._well: set[bytes] = set()  # blocks of trailers that end a call well
        self._begun_well: set[bytes] = set()  # blocks of headers that begin a reply
        self._begun: tuple[int, int, bytearray] | None = None  # stream, flags and block of headers that go on
        self._heard = loop.time()
        self._watch: asyncio.TimerHandle | None = None

    @property
    def is_usable(self) -> bool:
        """Whether the connection stands and is to stay: calls may be taken, if not each and not always."""
        return self._is_open

    def start(self, block: bytes, request: bytes, timeout_seconds: float) -> Stream | None:
        """Sends a call with these headers, or None where it does not fit just now. The caller awaits its `reply`."""
        size = len(request) + MESSAGE_HEAD_BYTES
        if (
            not self._is_open
            or self._is_paused
            or size > self._window
            or size > self._stream_window
            or size > frames.FRAME_BYTES
            or len(block) > self._header_limit
            or len(self._streams) >= self._limit_streams
        ):
            return None
        stream_id = self._next_id
        self._next_id = stream_id + 2
        if self._next_id > frames.LIMIT_STREAM_ID:
            self._retire()
        self._window -= size
        stream = Stream(stream_id, self._loop.create_future())
        self._streams[stream_id] = stream
        stream.deadline = self._loop.call_later(timeout_seconds, self._expire, stream)
        self._write(frames.make_request(stream_id, block, request))
        return stream

    def drop(self, stream: Stream) -> None:
        """Cancels a call that nobody awaits any more; one that has ended is left alone."""
        if self._streams.pop(stream.id, None) is not None:
            self._release(stream)
            self._write(frames.make_reset(stream.id, frames.CANCEL))

    def close(self, make_error: Callable[[], BaseException]) -> None:
        """Ends the connection, and every call on it with such an error."""
        self._is_open = False
        self._end_all(make_error)
        if self._transport is not None:
            self._flush()
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Opens the connection (RFC 9113 section 3.4)."""
        self._transport = transport = cast("asyncio.Transport", transport)
        transport.set_write_buffer_limits(high=_LIMIT_UNSENT_BYTES)
        settings = {
            frames.HEADER_TABLE_SIZE: 0,
            frames.ENABLE_PUSH: 0,
            # A stream may take the largest reply at once, and is ended over a larger one.
            frames.INITIAL_WINDOW_SIZE: min(
                self._receive_limit + MESSAGE_HEAD_BYTES + frames.WINDOW_BYTES, frames.LIMIT_WINDOW_BYTES
            ),
            frames.MAX_HEADER_LIST_SIZE: self._metadata_limit,
        }
        opening = frames.make_window_update(_RECEIVE_WINDOW_BYTES - frames.WINDOW_BYTES)
        transport.write(frames.PREFACE + frames.make_settings(settings) + opening)
        if self._keepalive_seconds > 0:
            self._watch = self._loop.call_later(self._keepalive_seconds, self._ask)

    def connection_lost(self, exc: Exception | None) -> None:
        """Ends every call that is under way."""
        self._is_open = False
        self._transport = None
        if self._watch is not None:
            self._watch.cancel()
        self._end_all(lambda: fail(grpc.StatusCode.UNAVAILABLE, "Socket closed"))
        for future in (self.settled, self.lost):
            if not future.done():
                future.set_result(None)

    def pause_writing(self) -> None:
        """Takes no calls as long as the peer does not read."""
        self._is_paused = True

    def resume_writing(self) -> None:
        """Takes calls again."""
        self._is_paused = False

    def data_received(self, data: bytes) -> None:
        """Reads the frames that are whole, and keeps the beginning of the next."""
        self._heard = self._loop.time()
        if self._rest:
            data = self._rest + data
        try:
            at = self._read_frames(data)
        except (frames.FrameError, HpackError):
            self._abort()
            return
        self._rest = data[at:]

    def _read_frames(self, data: bytes) -> int:
        """Takes every whole frame; where the first one begins that is not whole."""
        at, end = 0, len(data)
        while end - at >= frames.HEAD_BYTES:
            upper, lower, kind, flags, stream_id = frames.read_head(data, at)
            start = at + frames.HEAD_BYTES
            after = start + (upper << 8 | lower)
            if after - start > frames.FRAME_BYTES:
                raise frames.FrameError("a frame is larger than what is taken")
            if after > end:
                break
            if self._begun is not None and kind != frames.CONTINUATION:
                raise frames.FrameError("headers that do not go on")
            at = after
            payload = data[start:after]
            if kind == frames.DATA:
                self._on_data(stream_id, flags, payload)
            elif kind == frames.HEADERS and flags & frames.END_HEADERS:
                if flags & (frames.PADDED | frames.PRIORITY):
                    payload = frames.strip_padding(payload, flags)
                self._on_headers(stream_id, flags, payload)
            else:
                self._on_other(kind, flags, stream_id, payload)
        return at

    def _on_data(self, stream_id: int, flags: int, payload: bytes) -> None:
        self._unacknowledged += len(payload)
        if self._unacknowledged > _RECEIVE_WINDOW_BYTES // 2:
            self._write(frames.make_window_update(self._unacknowledged))
            self._unacknowledged = 0
        stream = self._streams.get(stream_id)
        if stream is None:
            return
        if flags & frames.PADDED:
            payload = frames.strip_padding(payload, flags & frames.PADDED)
        stream.size += len(payload)
        stream.body.append(payload)
        if stream.size > self._receive_limit or len(stream.body) == 1:
            self._check_size(stream)
        if flags & frames.END_STREAM:
            self._end(stream, fail(grpc.StatusCode.UNKNOWN, "Data frame with END_STREAM flag"))

    def _check_size(self, stream: Stream) -> None:
        """Ends a call whose reply is too large: by what its head says, so that the rest is not waited for."""
        head = b"".join(stream.body)[:MESSAGE_HEAD_BYTES] if len(stream.body) > 1 else stream.body[0]
        said = int.from_bytes(head[1:MESSAGE_HEAD_BYTES], "big") if len(head) >= MESSAGE_HEAD_BYTES else 0
        size = max(said, stream.size - MESSAGE_HEAD_BYTES)
        if size > self._receive_limit and stream.id in self._streams:
            self._write(frames.make_reset(stream.id, frames.CANCEL))
            self._end(stream, refuse_size(size, self._receive_limit))

    def _on_headers(self, stream_id: int, flags: int, block: bytes) -> None:
        stream = self._streams.get(stream_id)
        if stream is None:
            return
        # Header blocks refer to nothing outside themselves, so that equal ones say the same.
        is_last = flags & frames.END_STREAM
        error = None if block in (self._well if is_last else self._begun_well) else self._read_block(block, is_last)
        if error is None and not is_last:
            return
        if error is None:
            try:
                reply = read_message(b"".join(stream.body))
            except grpc.aio.AioRpcError as refusal:
                error = refusal
        if error is not None:
            self._end(stream, error)
            return
        del self._streams[stream_id]
        self._release(stream)
        if not stream.reply.done():
            stream.reply.set_result(reply)

    def _read_block(self, block: bytes, is_last: int) -> grpc.aio.AioRpcError | None:
        """How headers or trailers that were not seen before end a call, or None where they do not or end it well."""
        headers = decode_block(block)
        if is_larger(headers, self._metadata_limit):
            return refuse_headers()
        known = self._well if is_last else self._begun_well
        error = read_ending(headers) if is_last else read_head(headers)
        if error is None:
            if len(known) >= _LIMIT_KNOWN:
                known.clear()
            known.add(block)
        return error

    def _on_other(self, kind: int, flags: int, stream_id: int, payload: bytes) -> None:
        """Everything that is not a plain part of a reply. Kinds that nobody knows are passed over (section 4.1)."""
        match kind:
            case frames.HEADERS:
                self._begun = (stream_id, flags, bytearray(frames.strip_padding(payload, flags)))
            case frames.CONTINUATION:
                self._continue_headers(flags, stream_id, payload)
            case frames.RST_STREAM:
                self._on_reset(stream_id, frames.read_number(payload))
            case frames.SETTINGS if not flags & frames.ACK:
                self._on_settings(frames.read_settings(payload))
            case frames.PING if not flags & frames.ACK:
                self._write(frames.make_frame(frames.PING, payload, flags=frames.ACK))
            case frames.GOAWAY:
                self._on_goaway(frames.read_number(payload))
            case frames.WINDOW_UPDATE if stream_id == 0:
                self._window = min(self._window + frames.read_number(payload), frames.LIMIT_WINDOW_BYTES)
            case frames.PUSH_PROMISE:
                raise frames.FrameError("a push that was not asked for")
            case _:
                pass

    def _continue_headers(self, flags: int, stream_id: int, payload: bytes) -> None:
        if self._begun is None or self._begun[0] != stream_id:
            raise frames.FrameError("headers that go on without having begun")
        _, begun_flags, block = self._begun
        block += payload
        if len(block) > 2 * self._metadata_limit + frames.FRAME_BYTES:
            # Beyond what could be told apart from a peer that never ends.
            stream = self._streams.get(stream_id)
            if stream is not None:
                self._end(stream, refuse_headers())
            raise frames.FrameError("headers without an end")
        if flags & frames.END_HEADERS:
            self._begun = None
            self._on_headers(stream_id, begun_flags, bytes(block))

    def _on_reset(self, stream_id: int, code: int) -> None:
        stream = self._streams.get(stream_id)
        if stream is not None:
            self._end(stream, NotTakenError() if code == frames.REFUSED_STREAM else read_reset(code))

    def _on_settings(self, settings: dict[int, int]) -> None:
        self._stream_window = settings.get(frames.INITIAL_WINDOW_SIZE, self._stream_window)
        self._limit_streams = settings.get(frames.MAX_CONCURRENT_STREAMS, self._limit_streams)
        # Counted in another way than a block's bytes; a block with an eighth of it is surely within.
        self._header_limit = min(settings.get(frames.MAX_HEADER_LIST_SIZE, 2**31) // 8, frames.FRAME_BYTES)
        self._write(frames.make_frame(frames.SETTINGS, b"", flags=frames.ACK))
        if not self.settled.done():
            self._is_open = True
            self.settled.set_result(None)

    def _on_goaway(self, last_id: int) -> None:
        self._retire()
        for stream in [one for one in self._streams.values() if one.id > last_id]:
            self._end(stream, NotTakenError())

    def _retire(self) -> None:
        """Takes no more calls; the connection ends with the last of those that are under way."""
        self._is_open = False
        if not self._streams and self._transport is not None:
            self._transport.close()

    def _expire(self, stream: Stream) -> None:
        self._write(frames.make_reset(stream.id, frames.CANCEL))
        self._end(stream, fail(grpc.StatusCode.DEADLINE_EXCEEDED, "Deadline Exceeded"))

    def _ask(self) -> None:
        """Asks a peer that owes answers and is silent whether it still lives, and gives it up where it is not."""
        silent_seconds = self._loop.time() - self._heard
        if self._streams and silent_seconds >= self._keepalive_seconds + _PING_PATIENCE_SECONDS:
            self._abort()
            return
        if self._streams and silent_seconds >= self._keepalive_seconds:
            self._write(frames.make_frame(frames.PING, bytes(8)))
            pause = _PING_PATIENCE_SECONDS
        else:
            pause = max(self._keepalive_seconds - silent_seconds, 1.0)
        self._watch = self._loop.call_later(pause, self._ask)

    def _end(self, stream: Stream, error: BaseException) -> None:
        self._streams.pop(stream.id, None)
        self._release(stream)
        if not stream.reply.done():
            stream.reply.set_exception(error)

    def _release(self, stream: Stream) -> None:
        if stream.deadline is not None:
            stream.deadline.cancel()
            stream.deadline = None
        if not self._is_open and not self._streams and self._transport is not None:
            self._flush()
            self._transport.close()

    def _end_all(self, make_error: Callable[[], BaseException]) -> None:
        for stream in list(self._streams.values()):
            self._end(stream, make_error())

    def _abort(self) -> None:
        self._is_open = False
        if self._transport is not None:
            self._transport.abort()

    def _write(self, data: bytes) -> None:
        """Sends data with whatever else is sent in this turn of the loop: one system call for all of it."""
        if not self._outgoing:
            self._loop.call_soon(self._flush)
        self._outgoing.append(data)

    def _flush(self) -> None:
        if self._outgoing and self._transport is not None:
            self._transport.write(b"".join(self._outgoing))
            if self._is_paused and self._transport.get_write_buffer_size() > 4 * _LIMIT_UNSENT_BYTES:
                # It reads nothing and goes on asking.
                self._abort()
        self._outgoing.clear()
