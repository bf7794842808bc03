"""Book covers as PNG, made by rule: the same title always gives the same bytes.

In: a title. Out: the bytes of a picture. Knows nothing of servers.
"""

from __future__ import annotations

import hashlib
import struct
import zlib

WIDTH, HEIGHT = 32, 48


def cover(title: str) -> bytes:
    """A PNG of 32 by 48 pixels, in grains of colour.

    The form of a PNG: a signature, then chunks of length, kind, data and checksum (W3C, "Portable
    Network Graphics", section 5).

    Args:
        title: decides the colours.
    """
    grains = hashlib.shake_128(title.encode()).digest(3 * WIDTH * HEIGHT)
    starts = range(0, len(grains), 3 * WIDTH)
    rows = [b"\x00" + grains[start : start + 3 * WIDTH] for start in starts]
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(b"".join(rows), 9)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    body = kind + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))
