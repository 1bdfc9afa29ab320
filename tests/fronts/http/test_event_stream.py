import asyncio
from typing import Any

import orjson

from gateway.contract.envelopes import notification, success_response
from gateway.fronts.http.event_stream import EventStream
from tests.virtual_time import run_virtually


class Client:
    """The other end of one answer: keeps what comes and when; takes nothing while it is stalled."""

    def __init__(self) -> None:
        self.events: list[tuple[float, dict[str, Any]]] = []
        self.stalled = False
        self.given_up = 0
        self.stream = EventStream(self.send, keep_alive_seconds=15, write_timeout_seconds=30, give_up=self.give_up)

    async def send(self, event: Any) -> None:
        if self.stalled:
            await asyncio.Event().wait()
        self.events.append((asyncio.get_running_loop().time(), dict(event)))

    def give_up(self) -> None:
        self.given_up += 1

    @property
    def bodies(self) -> list[tuple[float, bytes, bool]]:
        """When each chunk came, its bytes, and whether more was to follow; the head is checked."""
        (_, head), *rest = self.events
        assert head == {
            "type": "http.response.start",
            "status": 200,
            "headers": [
                (b"content-type", b"text/event-stream"),
                (b"cache-control", b"no-cache, no-transform"),
                (b"x-accel-buffering", b"no"),
            ],
        }
        assert all(event["type"] == "http.response.body" for _, event in rest)
        return [(time, event["body"], event["more_body"]) for time, event in rest]


def play(scene: Any) -> Client:
    """What came of a scene, played in virtual time."""
    client = Client()
    run_virtually(scene(client))
    return client


def tell(number: int) -> Any:
    return notification("notifications/x", {"n": number})


def write_event(body: Any) -> bytes:
    return b"event: message\ndata: " + orjson.dumps(body) + b"\n\n"


TOLD = {"jsonrpc": "2.0", "method": "notifications/x", "params": {"n": 1}}
ANSWER: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "result": {"resultType": "complete", "text": "a\nb\r\N{LINE SEPARATOR}"},
}


def test_nothing_is_sent_before_there_is_something_to_stream() -> None:
    client = Client()
    assert (client.events, client.stream.has_begun) == ([], False)


def test_each_message_is_an_event_of_one_line_in_a_chunk_of_its_own() -> None:
    async def scene(client: Client) -> None:
        await client.stream.notify(tell(1))
        assert client.stream.has_begun
        await client.stream.end(success_response(1, ANSWER["result"]))

    assert play(scene).bodies == [(0, write_event(TOLD), True), (0, write_event(ANSWER), False)]


def test_a_quiet_call_gets_a_comment_every_so_often() -> None:
    async def scene(client: Client) -> None:
        keeping = asyncio.create_task(client.stream.keep_alive())
        await asyncio.sleep(31)
        await client.stream.notify(tell(1))
        await asyncio.sleep(16)
        keeping.cancel()

    comment = b": keep-alive\n\n"
    assert play(scene).bodies == [
        (15, comment, True),
        (30, comment, True),
        (31, write_event(TOLD), True),
        (46, comment, True),
    ]


def test_notifications_of_several_tasks_come_whole_and_in_their_order() -> None:
    async def scene(client: Client) -> None:
        await asyncio.gather(*(client.stream.notify(tell(number)) for number in range(5)))

    numbers = [orjson.loads(body.split(b"data: ")[1])["params"]["n"] for _, body, _ in play(scene).bodies]
    assert numbers == [0, 1, 2, 3, 4]


def test_a_client_that_stops_reading_is_given_up_in_time() -> None:
    async def scene(client: Client) -> None:
        await client.stream.notify(tell(1))
        client.stalled = True
        await client.stream.notify(tell(2))
        assert asyncio.get_running_loop().time() == 30
        await client.stream.end(success_response(1, ANSWER["result"]))
        assert asyncio.get_running_loop().time() == 60

    client = play(scene)
    assert (client.given_up, [body for _, body, _ in client.bodies]) == (1, [write_event(TOLD)])


def test_a_comment_that_finds_no_reader_gives_up_too() -> None:
    async def scene(client: Client) -> None:
        client.stalled = True
        await client.stream.keep_alive()
        assert asyncio.get_running_loop().time() == 45

    client = play(scene)
    assert (client.given_up, client.events, client.stream.has_begun) == (1, [], False)


def test_a_notification_that_is_cancelled_while_it_waits_is_not_sent_in_part() -> None:
    async def scene(client: Client) -> None:
        client.stalled = True
        telling = asyncio.create_task(client.stream.notify(tell(1)))
        await asyncio.sleep(1)
        telling.cancel()
        await asyncio.wait([telling])
        client.stalled = False
        await client.stream.notify(tell(1))

    assert play(scene).bodies == [(1, write_event(TOLD), True)]


def test_nothing_is_sent_behind_the_end() -> None:
    async def scene(client: Client) -> None:
        await client.stream.notify(tell(1))
        await client.stream.end(success_response(1, ANSWER["result"]))
        await client.stream.notify(tell(2))

    assert len(play(scene).bodies) == 2
