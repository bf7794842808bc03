"""A client for the practice model, whatever the learner's settings say.

Out: a `ModelClient`. A check must not cost money, nor depend on a network.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from course_pkg.model import ModelClient


@asynccontextmanager
async def practice_client() -> AsyncIterator[ModelClient]:
    """Start the practice model if it does not run yet, and give a client for it."""
    from course_pkg.model import ModelClient, Settings
    from course_pkg.model.settings import NO_KEY_NEEDED
    from course_pkg.practice import serve_in_background

    practice = Settings(
        kind="practice", base_url=serve_in_background(), model="practice", api_key=NO_KEY_NEEDED
    )
    async with ModelClient(practice, max_retries=0) as client:
        yield client
