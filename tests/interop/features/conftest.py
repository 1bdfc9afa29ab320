import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from mcp import Client, StdioServerParameters

from tests.interop.features.talk import WAYS, Talk


@pytest_asyncio.fixture(
    scope="session",
    loop_scope="session",
    params=WAYS,
    ids="-".join,
)
async def connected(
    request: pytest.FixtureRequest, everything: str, everything_on_stdio: list[str]
) -> AsyncIterator[Talk]:
    """One connection for all tests; a task of its own opens and closes it, which the client insists on."""
    front, mode = request.param
    command, *arguments = everything_on_stdio
    server = everything if front == "http" else StdioServerParameters(command=command, args=arguments)
    talk = Talk(server=server, mode=mode)
    opened, is_over = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        async with Client(
            server,
            mode=mode,
            elicitation_callback=talk.ask_user,
            sampling_callback=talk.ask_model,
            list_roots_callback=talk.list_roots,
            logging_callback=talk.hear_log,
            message_handler=talk.hear_message,
        ) as talk.client:
            opened.set()
            await is_over.wait()

    holding, opening = asyncio.create_task(hold()), asyncio.create_task(opened.wait())
    await asyncio.wait((holding, opening), return_when=asyncio.FIRST_COMPLETED)
    if holding.done():
        opening.cancel()
        await holding
    yield talk
    is_over.set()
    await holding


@pytest.fixture
def talk(connected: Talk) -> Talk:
    """The connection, with nothing heard and nothing asked yet."""
    connected.action = "accept"
    connected.questions.clear()
    connected.logged.clear()
    return connected
