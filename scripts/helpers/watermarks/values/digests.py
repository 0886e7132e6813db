"""Short digests of files, many of which fit into one item: eight bytes tell one version of a file from another."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

SIZE = 8
# An item may have 400 KB, and its keys and other attributes need some of it.
MOST = 48_000


def digest_of(path: str, modified: int, length: int) -> bytes:
    """Give the digest of one version of a file. Hadoop's different names for S3 make no difference."""
    text = f"{re.sub(r'^s3[an]://', 's3://', path)}\0{modified}\0{length}"
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=SIZE).digest()


def digest_of_run(run_id: str) -> bytes:
    """Give the digest of a run id."""
    return hashlib.blake2b(run_id.encode(), digest_size=SIZE).digest()


def pack(digests: Iterable[bytes]) -> bytes:
    """Put digests one after the other, in an order that does not depend on chance."""
    return b"".join(sorted(digests))


def unpack(packed: bytes) -> frozenset[bytes]:
    """Take packed digests apart.

    Raises:
        ValueError: the length is not that of whole digests.
    """
    if len(packed) % SIZE:
        raise ValueError(f"has {len(packed)} bytes, which are no whole digests of {SIZE}")
    return frozenset(packed[start : start + SIZE] for start in range(0, len(packed), SIZE))
