"""Removes old generations of a shared index, never what a reader or a builder may be using.

No clock but the server's counts, and of that only the distance of two of its times: an object goes
when it was written long before the present pointer, and nothing needs it. What a builder sent
after that pointer is newer than it, whatever the time, and stays.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from hdlgraph.store.shared import records
from hdlgraph.store.shared.bucket import Bucket, Found, ObjectMissingError
from hdlgraph.store.shared.records import Listing, Pointer

GRACE = timedelta(hours=24)
"""How long a generation stays after another took its place: readers may be fetching it."""
BATCH = 500
"""Objects that are removed at once."""


def sweep(bucket: Bucket, pointer: Pointer, listing: Listing, version: str) -> int:
    """Removes generations that were replaced more than `GRACE` ago; returns how many.

    Args:
        bucket: the place.
        pointer: the one that was just published, with `listing`.
        listing: what it names.
        version: the version of the pointer's object.

    Raises:
        BucketError: the place does not answer; what was removed until then was not needed.
    """
    now, present = bucket.time(records.POINTER)
    if present != version:
        return 0  # another builder has published, and removes what is old
    found = sorted(bucket.list(), key=lambda one: one.key)
    stale = now - GRACE
    listings = [(*named, one) for one in found if (named := records.listing_of_key(one.key))]
    old = [one for one in listings if one[1] != pointer.listing and _replaced(one, listings, stale)]
    gone = {one.key for _, _, one in old}
    needed = {kept.key for kept in listing.files.values()}
    for number, sha256, one in listings:
        if one.key not in gone and sha256 != pointer.listing:
            kept = Pointer(pointer.format, number, sha256, one.size)
            needed |= {file.key for file in _listed(bucket, kept)}
    unused = [
        one.key
        for one in found
        if records.is_object_key(one.key) and one.key not in needed and one.time < stale
    ]
    # Listings first: whoever finds one finds its files.
    for keys in (sorted(gone), unused):
        for start in range(0, len(keys), BATCH):
            if bucket.time(records.POINTER)[1] != version:
                return 0
            bucket.remove(keys[start : start + BATCH])
    return len(old)


def _replaced(
    one: tuple[int, str, Found], listings: list[tuple[int, str, Found]], stale: datetime
) -> bool:
    """Returns whether a listing was replaced by the next one, or given up, before a time."""
    later = [other.time for number, _, other in listings if number > one[0]]
    return min(later, default=one[2].time) < stale and one[2].time < stale


def _listed(bucket: Bucket, pointer: Pointer) -> list[records.Kept]:
    """Returns the files of a listing; none where it is damaged, as then nobody can use it."""
    try:
        return list(records.read_listing(bucket, pointer, "").files.values())
    except (records.DamagedError, ObjectMissingError):
        return []
