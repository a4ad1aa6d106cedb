"""Opens the place of a shared index: a folder, or a bucket of an S3 server."""

from __future__ import annotations

from hdlgraph.store.shared.address import FILE, Address
from hdlgraph.store.shared.bucket import Bucket


def open_bucket(address: Address, *, patient: bool) -> Bucket:
    """Returns the objects of an address; nothing is asked of it yet.

    Args:
        address: where they are.
        patient: whether a request may take minutes, or a few seconds alone.

    Raises:
        UsageError: the address, the environment or the installation is not in order.
    """
    if address.scheme == FILE:
        from hdlgraph.store.shared.folder_bucket import FolderBucket

        return FolderBucket(address)
    from hdlgraph.store.shared.s3_bucket import S3Bucket

    return S3Bucket(address, patient=patient)
