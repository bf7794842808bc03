"""Ask a weather service on the network: wttr.in, or a server that answers in its `j1` format.

In: a city's name and a unit. Out: the same small dict as the bundled weather gives. Whatever goes
wrong on the way becomes a `ToolError` that says what to do next. Knows nothing of the bundled data.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from course_pkg.tools import ToolError

if TYPE_CHECKING:
    import httpx2

#: For the whole exchange. Less than an executor's usual 10 s, so that our own text comes first.
WEATHER_TIMEOUT_S = 8.0
WEATHER_URL = "https://wttr.in"
MAX_CITY_CHARS = 100

#: What to do when the service, and not the request, is at fault.
FALL_BACK = "Try again later, or unset COURSE_LIVE to use the weather that comes with the course."

#: The service says this in its text, also with status 200 or 500, for places that it cannot find.
_NOT_FOUND = ("unknown location", "location not found")


@dataclass(frozen=True, kw_only=True)
class WeatherService:
    """A live weather service.

    Attributes:
        base_url: where it is, without a slash at the end.
        timeout_s: seconds for the whole exchange.
    """

    base_url: str = WEATHER_URL
    timeout_s: float = WEATHER_TIMEOUT_S

    async def now(self, city: str, unit: str) -> dict[str, Any]:
        """Ask for the weather in `city`, in `"celsius"` or `"fahrenheit"`.

        Raises:
            ToolError: if the place is unknown, or the service fails, is late, or answers in a form
                that cannot be read.
        """
        response = await self._response(self._address(city))
        _refuse_unknown_place(response, city)
        if response.status_code != 200:
            raise ToolError(
                f"The live weather service answered with status {response.status_code}. {FALL_BACK}"
            )
        return _weather(response, city, unit)

    def _address(self, city: str) -> str:
        # Without a name in it, the service would tell the weather where this computer is.
        if len(city) > MAX_CITY_CHARS or not any(letter.isalnum() for letter in city):
            raise ToolError(
                f"{city[:60]!r} is no city's name. Give one of 1 to {MAX_CITY_CHARS} characters, "
                "for example Beijing."
            )
        return f"{self.base_url}/{quote(city.strip(), safe='', errors='replace')}?format=j1"

    async def _response(self, address: str) -> httpx2.Response:
        import httpx2

        try:
            async with asyncio.timeout(self.timeout_s), httpx2.AsyncClient(timeout=None) as client:
                return await client.get(address)
        except TimeoutError as error:
            raise ToolError(
                f"The live weather service did not answer within {self.timeout_s:g} seconds. "
                f"{FALL_BACK}"
            ) from error
        except httpx2.HTTPError as error:
            raise ToolError(
                f"The live weather service could not be reached ({type(error).__name__}). "
                f"{FALL_BACK}"
            ) from error


def _refuse_unknown_place(response: httpx2.Response, city: str) -> None:
    beginning = response.text[:200].casefold()
    if response.status_code == 404 or any(words in beginning for words in _NOT_FOUND):
        raise ToolError(
            f"The live weather service knows no place named {city!r}. Check the spelling, or name "
            "a larger city nearby."
        )


def _weather(response: httpx2.Response, city: str, unit: str) -> dict[str, Any]:
    """Read an answer in the `j1` format, in which all numbers are strings."""
    try:
        answer = json.loads(response.content)
        answer = answer.get("data", answer)
        now = answer["current_condition"][0]
        return {
            "city": city.strip(),
            "country": _country(answer),
            "temperature": int(now["temp_C" if unit == "celsius" else "temp_F"]),
            "unit": unit,
            "condition": str(now["weatherDesc"][0]["value"]).strip().lower(),
            "humidity_percent": int(now["humidity"]),
            "wind_kmh": int(now["windspeedKmph"]),
            "source": "live weather service",
        }
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        raise ToolError(
            "The live weather service answered in a form that cannot be read: "
            f"{response.text[:80]!r}. {FALL_BACK}"
        ) from error


def _country(answer: dict[str, Any]) -> str:
    """The country that the service found, or nothing: some answers leave it out."""
    try:
        return str(answer["nearest_area"][0]["country"][0]["value"])
    except (KeyError, IndexError, TypeError):
        return ""
