"""The weather tool, from the bundled file and from a live service on this machine."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_pkg.samples import WEATHER_CITIES, get_weather
from course_pkg.samples.weather import BundledWeather, bundled_weather, weather_source
from course_pkg.samples.weather_service import WEATHER_URL, WeatherService
from course_pkg.tools import ToolError

# An answer in the j1 format, cut down to what it always holds. All numbers are strings there.
J1: dict[str, Any] = {
    "current_condition": [
        {
            "temp_C": "9",
            "temp_F": "48",
            "humidity": "61",
            "windspeedKmph": "20",
            "weatherDesc": [{"value": "Partly Cloudy "}],
        }
    ],
    "nearest_area": [{"areaName": [{"value": "Oslo"}], "country": [{"value": "Norway"}]}],
    "request": [{"query": "Oslo, Norway", "type": "City"}],
    "weather": [],
}


# --- the bundled file ---


@pytest.mark.parametrize(
    ("written", "city"),
    [
        ("Beijing", "Beijing"),
        ("beijing", "Beijing"),
        ("  BEIJING  ", "Beijing"),
        ("北京", "Beijing"),
        ("北京市", "Beijing"),
        ("中国北京", "Beijing"),
        ("Ｂｅｉｊｉｎｇ", "Beijing"),
        ("Shanghai, China", "Shanghai"),
        ("上海", "Shanghai"),
        ("Hong Kong", "Hong Kong"),
        ("hongkong", "Hong Kong"),
        ("Hong-Kong", "Hong Kong"),
        ("香港", "Hong Kong"),
        ("new  york", "New York"),
        ("New York City", "New York"),
        ("New York, NY", "New York"),
        ("纽约", "New York"),
        ("东京", "Tokyo"),
        ("London, UK", "London"),
        ("德国柏林", "Berlin"),
        ("新加坡", "Singapore"),
    ],
)
async def test_a_city_is_found_however_it_is_written(written: str, city: str) -> None:
    weather = await get_weather(city=written)

    assert weather["city"] == city


async def test_the_weather_is_a_small_dict_of_plain_values() -> None:
    weather = await get_weather(city="Beijing")

    assert weather == {
        "city": "Beijing",
        "country": "China",
        "temperature": 22,
        "unit": "celsius",
        "condition": "sunny",
        "humidity_percent": 35,
        "wind_kmh": 12,
        "source": "course sample data",
    }


@pytest.mark.parametrize(("city", "degrees"), [("Beijing", 72), ("Berlin", 28), ("Singapore", 88)])
async def test_fahrenheit_is_told_in_whole_degrees(city: str, degrees: int) -> None:
    weather = await get_weather(city=city, unit="fahrenheit")

    assert (weather["temperature"], weather["unit"]) == (degrees, "fahrenheit")


async def test_all_twelve_cities_have_weather_in_english_and_chinese() -> None:
    for city in bundled_weather().cities:
        chinese = next(name for name in city.names if not name.isascii())
        assert (await get_weather(city=chinese))["city"] == city.name

    assert len(WEATHER_CITIES) == 12


@pytest.mark.parametrize(
    ("written", "meant"),
    [("Beijng", "Beijing"), ("Lodnon", "London"), ("北平", "Beijing"), ("Singapur", "Singapore")],
)
async def test_a_misspelt_city_is_answered_with_the_closest_one(written: str, meant: str) -> None:
    with pytest.raises(ToolError, match=f"Did you mean {meant}\\?"):
        await get_weather(city=written)


async def test_an_unknown_city_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ToolError) as caught:
        await get_weather(city="Xqzw")

    assert str(caught.value) == (
        "There is no weather for 'Xqzw'. Known cities: Beijing, Shanghai, Guangzhou, Shenzhen, "
        "Chengdu, Hong Kong, Tokyo, Singapore, London, Paris, New York, Berlin."
    )


@given(city=st.text(st.characters()))
def test_any_text_gives_weather_or_a_tool_error(city: str) -> None:
    assert asyncio.run(_city_or_error(city)) in {*WEATHER_CITIES, "error"}


async def _city_or_error(city: str) -> str:
    try:
        return str((await get_weather(city=city))["city"])
    except ToolError:
        return "error"


@pytest.mark.parametrize("value", ["", "0", "no", "off", "false"])
def test_without_the_switch_the_weather_comes_from_the_file(value: str) -> None:
    assert isinstance(weather_source({"COURSE_LIVE": value}), BundledWeather)


@pytest.mark.parametrize("value", ["1", "true", " YES ", "on"])
def test_with_the_switch_the_weather_comes_from_the_live_service(value: str) -> None:
    assert weather_source({"COURSE_LIVE": value}) == WeatherService(base_url=WEATHER_URL)


# --- the live service, played by a server on this machine ---


@dataclass
class Answers:
    """What the server says, and which paths it was asked for."""

    status: int = 200
    body: bytes = json.dumps(J1).encode("utf-8")
    content_type: str = "application/json"
    silent: bool = False
    broken: bool = False
    paths: list[str] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)


class Server(ThreadingHTTPServer):
    # Closing must not wait for a handler that sleeps.
    daemon_threads = True
    block_on_close = False
    answers: Answers


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        answers = self.server.answers
        answers.paths.append(self.path)
        if answers.silent:
            answers.over.wait(10)
        if answers.silent or answers.broken:
            self.close_connection = True
            return
        self.send_response(answers.status)
        self.send_header("Content-Type", answers.content_type)
        self.send_header("Content-Length", str(len(answers.body)))
        self.end_headers()
        self.wfile.write(answers.body)

    def log_message(self, *_: object) -> None:
        """Say nothing on stderr."""


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Answers:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return Answers()


@pytest.fixture
def service(answers: Answers) -> Iterator[WeatherService]:
    with Server(("127.0.0.1", 0), Handler) as server:
        server.answers = answers
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield WeatherService(base_url=f"http://127.0.0.1:{server.server_port}", timeout_s=5.0)
        answers.over.set()
        server.shutdown()
        thread.join()


async def test_a_live_answer_has_the_same_fields_as_a_bundled_one(service: WeatherService) -> None:
    weather = await service.now("Oslo", "celsius")

    assert weather == {
        "city": "Oslo",
        "country": "Norway",
        "temperature": 9,
        "unit": "celsius",
        "condition": "partly cloudy",
        "humidity_percent": 61,
        "wind_kmh": 20,
        "source": "live weather service",
    }
    assert list(weather) == list(await get_weather(city="Paris"))


async def test_a_live_answer_comes_in_fahrenheit_too(service: WeatherService) -> None:
    weather = await service.now("Oslo", "fahrenheit")

    assert (weather["temperature"], weather["unit"]) == (48, "fahrenheit")


@pytest.mark.parametrize(
    ("city", "path"),
    [
        ("Oslo", "/Oslo?format=j1"),
        ("New York", "/New%20York?format=j1"),
        ("北京", "/%E5%8C%97%E4%BA%AC?format=j1"),
        ("São Paulo", "/S%C3%A3o%20Paulo?format=j1"),
        ("a/../b", "/a%2F..%2Fb?format=j1"),
        ("a?format=3#b", "/a%3Fformat%3D3%23b?format=j1"),
        ("a\r\nHost: evil", "/a%0D%0AHost%3A%20evil?format=j1"),
        ("a\ud800", "/a%3F?format=j1"),
    ],
)
async def test_the_city_is_encoded_in_the_address(
    service: WeatherService, answers: Answers, city: str, path: str
) -> None:
    await service.now(city, "celsius")

    assert answers.paths == [path]


@pytest.mark.parametrize("wrapped", [{"data": J1}, {**J1, "nearest_area": []}])
async def test_other_forms_of_the_answer_are_read_too(
    service: WeatherService, answers: Answers, wrapped: dict[str, Any]
) -> None:
    answers.body = json.dumps(wrapped).encode("utf-8")

    assert (await service.now("Oslo", "celsius"))["temperature"] == 9


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (404, "Not Found"),
        (200, "Unknown location; please try ~59.91,10.74"),
        (500, '{"error": "location not found"}'),
    ],
)
async def test_an_unknown_place_is_told_as_such(
    service: WeatherService, answers: Answers, status: int, body: str
) -> None:
    answers.status, answers.body = status, body.encode("utf-8")

    with pytest.raises(ToolError, match=r"no place named 'Qwxz'\. Check the spelling"):
        await service.now("Qwxz", "celsius")


@pytest.mark.parametrize("status", [301, 403, 429, 500, 503])
async def test_another_status_is_told_with_a_way_out(
    service: WeatherService, answers: Answers, status: int
) -> None:
    answers.status, answers.body = status, b"<h1>Sorry</h1>"

    with pytest.raises(
        ToolError, match=rf"status {status}\. Try again later, or unset COURSE_LIVE"
    ):
        await service.now("Oslo", "celsius")


@pytest.mark.parametrize(
    "body",
    [
        b"<!DOCTYPE html><html><body>Weather report</body></html>",
        b"",
        b"null",
        b"[]",
        b"7",
        b"{}",
        b'{"current_condition": []}',
        b'{"current_condition": [{"temp_C": "warm"}]}',
        b'{"data": null}',
        b"\xff\xfe\x00",
        b"[" * 100_000,
        json.dumps(J1).encode("utf-8")[:-40],
    ],
    ids=lambda body: repr(body[:24]),
)
async def test_an_answer_that_cannot_be_read_is_shown_with_a_way_out(
    service: WeatherService, answers: Answers, body: bytes
) -> None:
    answers.body = body

    with pytest.raises(ToolError, match=r"cannot be read: .*unset COURSE_LIVE"):
        await service.now("Oslo", "celsius")


async def test_a_service_that_is_silent_is_left_after_the_time_limit(
    service: WeatherService, answers: Answers
) -> None:
    answers.silent = True
    impatient = WeatherService(base_url=service.base_url, timeout_s=0.2)

    with pytest.raises(ToolError, match=r"within 0\.2 seconds\. .*unset COURSE_LIVE"):
        await impatient.now("Oslo", "celsius")


async def test_the_event_loop_goes_on_while_the_service_is_slow(
    service: WeatherService, answers: Answers
) -> None:
    answers.silent = True
    asked = asyncio.create_task(service.now("Oslo", "celsius"))

    await asyncio.wait({asked}, timeout=0.3)  # a blocked loop would come back here with an answer

    assert not asked.done()
    answers.over.set()
    with pytest.raises(ToolError):
        await asked


async def test_a_dropped_connection_is_told_with_a_way_out(
    service: WeatherService, answers: Answers
) -> None:
    answers.broken = True

    with pytest.raises(ToolError, match=r"could not be reached .*unset COURSE_LIVE"):
        await service.now("Oslo", "celsius")


async def test_a_refused_connection_is_told_with_a_way_out(answers: Answers) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        port = server.server_port

    with pytest.raises(ToolError, match=r"could not be reached .*unset COURSE_LIVE"):
        await WeatherService(base_url=f"http://127.0.0.1:{port}").now("Oslo", "celsius")


@pytest.mark.parametrize("city", ["", "   ", "..", "~", ":", "@", "a" * 101])
async def test_what_is_no_city_is_not_asked_for(
    service: WeatherService, answers: Answers, city: str
) -> None:
    with pytest.raises(ToolError, match="is no city's name"):
        await service.now(city, "celsius")

    assert answers.paths == []
