"""Views of a catalogue: made once, told once, gone with it."""

import logging
from dataclasses import replace
from typing import Any

import pytest

from gateway.app.settings.loader import default_settings
from gateway.app.settings.model import ProfilesSection, ToolSurface
from gateway.app.views.catalogue_views import CatalogueViews
from gateway.app.views.reports import list_served_profiles, tell_of_many
from gateway.mcp.catalogue import Catalogue, Tool

PATHS = {"a": "openai-strict", "b": "gemini", "c": "openai-strict"}


async def never_called(request: bytes, **_: object) -> bytes:
    raise AssertionError(request)


def make_tool(name: str, count: int = 1) -> Tool:
    properties = {f"p{number}": {"type": "string"} for number in range(count)}
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return Tool(
        name=name,
        rpc=f"t.S/{name}",
        backend="test",
        listing={"name": name, "description": "d", "inputSchema": schema},
        transcoder=None,  # type: ignore[arg-type]  # nothing is called here
        call=never_called,
        deadline_seconds=1,
    )


def make_catalogue(**tools: int) -> Catalogue:
    made = {name: make_tool(name, count) for name, count in tools.items()}
    return Catalogue(tools=made, version=str(sorted(tools.items())), aliases={"old": next(iter(made))})


class Served:
    """What is served now."""

    def __init__(self, **tools: int) -> None:
        self.catalogue = make_catalogue(**tools)

    def get(self) -> Catalogue:
        return self.catalogue


def told(caplog: pytest.LogCaptureFixture) -> list[tuple[str, Any]]:
    records = [record for record in caplog.records if record.name == "propylon.profiles"]
    return [(record.levelname, record.__dict__.get("tool") or record.__dict__.get("first")) for record in records]


async def test_a_view_is_made_once_for_each_catalogue() -> None:
    served = Served(small=1)
    views = CatalogueViews(served.get)
    await views.prepare("openai-strict")
    first = views.get("openai-strict")
    assert views.get("openai-strict") is first
    assert first.tools["small"].listing["inputSchema"]["required"] == ["p0"]
    assert first.aliases == {"old": "small"}
    assert first.version != served.catalogue.version
    served.catalogue = make_catalogue(small=2)
    assert views.get("openai-strict").tools["small"].listing["inputSchema"]["required"] == ["p0", "p1"]
    assert views.get_plain() is served.catalogue


async def test_what_is_no_longer_served_is_let_go() -> None:
    served = Served(small=1)
    views = CatalogueViews(served.get, searches=True)
    first, plain = views.get("gemini"), views.get_plain()
    assert (views.get("gemini"), views.get_plain()) == (first, plain)
    views.forget(served.catalogue, served.catalogue)
    assert views.get("gemini") is not first
    assert views.get_plain() is not plain


async def test_what_a_profile_does_not_list_is_told_once_until_it_changes(caplog: pytest.LogCaptureFixture) -> None:
    served = Served(small=1, wide=40)
    views = CatalogueViews(served.get)
    for _ in range(2):
        assert list(views.get("anthropic-strict").tools) == ["small"]
        views.forget(served.catalogue, served.catalogue)
    assert told(caplog) == [("WARNING", "wide")]
    served.catalogue = make_catalogue(small=1, wide=40, wider=50)
    await views.prepare("anthropic-strict")
    assert told(caplog)[1:] == [("WARNING", "wide"), ("WARNING", "wider")]


async def test_an_alias_of_a_tool_that_is_not_listed_leads_nowhere() -> None:
    views = CatalogueViews(Served(wide=40).get)
    assert views.get("anthropic-strict").find_tool("old") is None


async def test_of_very_many_tools_that_are_not_listed_the_first_are_told(caplog: pytest.LogCaptureFixture) -> None:
    served = Served(**{f"t{number:02}": 40 for number in range(30)})
    CatalogueViews(served.get).get("anthropic-strict")
    assert len(told(caplog)) == 21
    assert caplog.records[-1].__dict__["tools"] == 10


async def test_a_report_tells_each_profile_in_one_line_and_keeps_nothing(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    views = CatalogueViews(Served(small=1, wide=40, wider=50).get)
    await views.report(("openai-strict", "anthropic-strict"))
    assert told(caplog) == [("INFO", "wide")]
    assert caplog.records[-1].__dict__["unlisted"] == 2
    assert views._made["anthropic-strict"].view is None


@pytest.mark.parametrize(
    ("client", "profile"), [("openai-agents", "openai-strict"), ("Gemini CLI", "gemini"), ("", None), ("other", None)]
)
def test_a_client_has_the_profile_of_the_first_glob_that_fits(client: str, profile: str | None) -> None:
    clients = (("openai-*", "openai-strict"), ("Gemini*", "gemini"), ("*agents", "bedrock"))
    views = CatalogueViews(Served(small=1).get, clients=clients)
    assert [views.find_profile(client) for _ in range(2)] == [profile, profile]
    assert views.has_clients


def test_names_of_clients_without_end_take_no_memory_without_end() -> None:
    views = CatalogueViews(Served(small=1).get, clients=(("x", "gemini"),))
    for number in range(5000):
        views.find_profile(str(number))
    assert len(views._chosen) <= 1000


def test_profiles_are_served_where_a_client_can_see_them() -> None:
    section = ProfilesSection(paths=PATHS, clients=(("x*", "bedrock"), ("y*", "gemini")))
    assert list_served_profiles(section, http=True) == ("openai-strict", "gemini", "bedrock")
    assert list_served_profiles(section, http=False) == ("bedrock", "gemini")


@pytest.mark.parametrize(("count", "surface", "lines"), [(40, "list", 0), (41, "list", 1), (41, "search", 0)])
def test_the_start_tells_of_many_tools_where_all_are_listed(
    caplog: pytest.LogCaptureFixture, count: int, surface: str, lines: int
) -> None:
    tools = replace(default_settings().tools, surface=ToolSurface(surface))
    tell_of_many(tools, count)
    assert [record.getMessage() for record in caplog.records] == ["models choose badly among so many tools"] * lines
