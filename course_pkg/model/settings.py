"""Which model to ask: read from the environment, in one place.

In: environment variables. Out: frozen `Settings`, or an error that names the variable and says what
to do. The key is held back from every text that is made of a `Settings`.

| variable | meaning |
|---|---|
| `COURSE_MODEL` | `practice` (the embedded model, default) or `remote` |
| `OPENAI_BASE_URL` | remote: where the service is, for example `https://…/v1` |
| `OPENAI_API_KEY` | remote: the key |
| `COURSE_MODEL_NAME` | remote: the model's name at the service; practice: another practice model |
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

#: Kinds of model that this process can serve by itself: the kind's name, and a function that sees
#: to it that it runs and gives its base URL. The package's front door puts the practice model here.
served_here: dict[str, Callable[[], str]] = {}

REMOTE = "remote"
DEFAULT_KIND = "practice"
DEFAULT_BASE_URL = "https://api.openai.com/v1"

#: A model that runs in this process needs no key, but the protocol wants one.
NO_KEY_NEEDED = "no-key-needed-here"


class SettingsError(ValueError):
    """A setting is missing or wrong. The text names the variable and says what to do."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Which model to ask.

    Attributes:
        kind: `practice` or `remote`.
        base_url: where the Chat Completions interface is, without `/chat/completions`.
        model: the model's name, as requests name it.
        api_key: the key. It is in no `repr`.
    """

    kind: str
    base_url: str
    model: str
    api_key: str = field(repr=False)

    @property
    def key_state(self) -> str:
        """What can be said about the key: `configured` or `not needed`."""
        return "configured" if self.kind == REMOTE else "not needed"


def settings(environment: Mapping[str, str] | None = None) -> Settings:
    """The settings that the environment asks for.

    A practice model is started if it does not run yet.

    Args:
        environment: variables by name; the process's own if none are given.

    Raises:
        SettingsError: if a variable is missing or wrong.
    """
    environment = os.environ if environment is None else environment
    kind = environment.get("COURSE_MODEL", "").strip().lower() or DEFAULT_KIND
    if kind == REMOTE:
        return _remote(environment)
    if kind not in served_here:
        raise SettingsError(
            f"COURSE_MODEL is {kind!r}. Set it to one of: {', '.join([*served_here, REMOTE])}. "
            "Or remove it, and the practice model answers."
        )
    model = environment.get("COURSE_MODEL_NAME", "").strip() or kind
    return Settings(kind=kind, base_url=served_here[kind](), model=model, api_key=NO_KEY_NEEDED)


def _remote(environment: Mapping[str, str]) -> Settings:
    return Settings(
        kind=REMOTE,
        base_url=_base_url(environment),
        model=_needed(environment, "COURSE_MODEL_NAME", "the model's name at your service"),
        api_key=_key(environment),
    )


def _base_url(environment: Mapping[str, str]) -> str:
    url = environment.get("OPENAI_BASE_URL", "").strip() or DEFAULT_BASE_URL
    try:
        parts = urlsplit(url)
        good = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good or parts.username or parts.password:
        # The value is not shown: a URL can hold a password.
        raise SettingsError(
            "OPENAI_BASE_URL is not an address that can be used. Set it to something like "
            f"{DEFAULT_BASE_URL}, with http or https and a host, and no user name or password."
        )
    return url.rstrip("/").removesuffix("/chat/completions")


def _key(environment: Mapping[str, str]) -> str:
    key = _needed(environment, "OPENAI_API_KEY", "your service's key (any word if it needs none)")
    if not key.isascii() or any(character.isspace() or character in "'\"" for character in key):
        raise SettingsError(
            "OPENAI_API_KEY holds a space, a quote or a character that no key has. Copy the key "
            "again, whole and without quotes, and start the kernel anew."
        )
    return key


def _needed(environment: Mapping[str, str], name: str, meaning: str) -> str:
    value = environment.get(name, "").strip()
    if not value:
        raise SettingsError(
            f"COURSE_MODEL is 'remote', but {name} is not set. Set it to {meaning} before you "
            "start JupyterLab. Or set COURSE_MODEL=practice, which needs no account."
        )
    return value
