"""The weather tool: twelve cities from a bundled file, or any city from a live service.

In: a city's name, English or Chinese, and a unit. Out: a small dict. Asks the network only where
`COURSE_LIVE` is switched on. Knows nothing of models or messages.
"""

from __future__ import annotations

import difflib
import functools
import json
import os
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from course_pkg.samples.weather_service import WeatherService
from course_pkg.tools import ToolError, tool

Unit: TypeAlias = Literal["celsius", "fahrenheit"]

#: The environment variable that switches the live service on, and what counts as "on".
LIVE_VARIABLE = "COURSE_LIVE"
ON = frozenset({"1", "true", "yes", "on"})

#: A name counts as "close" when at least this share of it agrees (0 to 1).
CLOSE_ENOUGH = 0.5

_DATA = Path(__file__).parent / "data" / "weather.json"


@dataclass(frozen=True, kw_only=True)
class City:
    """One bundled city and its weather.

    Attributes:
        name: the English name, which answers use.
        names: other names, Chinese ones among them.
        country: the English name of its country.
        country_names: other names of the country.
        temperature_c: whole degrees Celsius.
        condition: the sky in a word or two.
        humidity_percent: 0 to 100.
        wind_kmh: wind speed in km/h.
    """

    name: str
    names: tuple[str, ...]
    country: str
    country_names: tuple[str, ...]
    temperature_c: int
    condition: str
    humidity_percent: int
    wind_kmh: int


@dataclass(frozen=True, kw_only=True)
class BundledWeather:
    """The weather of the course's own file: the same on every day and every machine."""

    cities: tuple[City, ...]

    async def now(self, city: str, unit: Unit) -> dict[str, Any]:
        """Look a city up, whatever the case and the spaces.

        Raises:
            ToolError: if the city is not in the file. Names the closest one and all known ones.
        """
        found = self._by_name.get(_key(city))
        if found is None:
            raise ToolError(self._unknown(city))
        return {
            "city": found.name,
            "country": found.country,
            "temperature": in_unit(found.temperature_c, unit),
            "unit": unit,
            "condition": found.condition,
            "humidity_percent": found.humidity_percent,
            "wind_kmh": found.wind_kmh,
            "source": "course sample data",
        }

    @functools.cached_property
    def _by_name(self) -> dict[str, City]:
        return {key: city for city in self.cities for key in _keys(city)}

    def _unknown(self, city: str) -> str:
        close = difflib.get_close_matches(
            _key(city)[:60], sorted(self._by_name), n=1, cutoff=CLOSE_ENOUGH
        )
        hint = f" Did you mean {self._by_name[close[0]].name}?" if close else ""
        known = ", ".join(city.name for city in self.cities)
        return f"There is no weather for {city[:60]!r}.{hint} Known cities: {known}."


def _key(name: str) -> str:
    """A name without case, spaces, punctuation and full-width forms."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return "".join(letter for letter in folded if letter.isalnum())


def _keys(city: City) -> set[str]:
    """All keys of a city: each name alone, with 市, and before or after a country's name."""
    names = {_key(name) for name in (city.name, *city.names)}
    countries = {_key(name) for name in (city.country, *city.country_names)}
    names |= {f"{name}市" for name in names}
    joined = {name + country for name in names for country in countries}
    turned = {country + name for name in names for country in countries}
    return names | joined | turned


def in_unit(temperature_c: int, unit: Unit) -> int:
    """Whole degrees Celsius as whole degrees of `unit`."""
    return temperature_c if unit == "celsius" else round(temperature_c * 9 / 5 + 32)


@functools.cache
def bundled_weather() -> BundledWeather:
    """The weather file, read once."""
    rows = json.loads(_DATA.read_text(encoding="utf-8"))["cities"]
    return BundledWeather(
        cities=tuple(
            City(
                **row | {"names": tuple(row["names"]), "country_names": tuple(row["country_names"])}
            )
            for row in rows
        )
    )


def weather_source(environment: Mapping[str, str]) -> BundledWeather | WeatherService:
    """Which weather `get_weather` tells: the live service if `COURSE_LIVE` is on, else the file.

    Args:
        environment: variables by name, such as `os.environ`.
    """
    live = environment.get(LIVE_VARIABLE, "").strip().casefold() in ON
    return WeatherService() if live else bundled_weather()


#: The cities that the weather tool knows without a network.
WEATHER_CITIES: tuple[str, ...] = tuple(city.name for city in bundled_weather().cities)


@tool
async def get_weather(city: str, unit: Unit = "celsius") -> dict[str, Any]:
    """Get the current weather in one city.

    Returns the temperature, the condition of the sky such as sunny or light rain, the humidity in
    percent and the wind in km/h. It tells today's weather only, no forecast, and knows 12 large
    cities.

    Args:
        city: Name of the city in English or Chinese, for example Beijing or 上海. One city a call;
            call again for a second city.
        unit: Temperature unit, celsius or fahrenheit. Default celsius, which suits most countries.
    """
    return await weather_source(os.environ).now(city, unit)
