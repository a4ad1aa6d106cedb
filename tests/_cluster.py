"""A Ray cluster of several nodes on this machine, in a process of its own that tests steer.

    python -P tests/_cluster.py NODES

prints the address, then obeys lines of its standard input: `kill` ends the node that joined last
as if its machine had lost power, `head` the whole cluster's head, `add` has one more join, `older`
and `newer` change which Python the cluster says that it runs on.
"""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from contextlib import suppress
from typing import Any

LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_USAGE_STATS_ENABLED": "0"}
STORE = 80 * 1024 * 1024


class NodesOfRay:
    """Such a cluster: one processor a node, the head among them."""

    def __init__(self, nodes: int) -> None:
        token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
        self.variables = {**LOOPBACK, **token}
        self.process = subprocess.Popen(
            [sys.executable, "-P", __file__, str(nodes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/proc",
            env={**os.environ, **self.variables},
            text=True,
        )
        self.address = self._answer()

    def _answer(self) -> str:
        assert self.process.stdout is not None
        for line in self.process.stdout:  # Ray prints there as well
            if line.startswith("said "):
                return line.removeprefix("said ").strip()
        raise RuntimeError("the cluster did not start")

    def tell(self, word: str) -> None:
        """Has it do one thing, and waits until it is done."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{word}\n")
        self.process.stdin.flush()
        self._answer()

    def end(self) -> None:
        """Ends all nodes."""
        assert self.process.stdin is not None
        with suppress(OSError):
            self.process.stdin.close()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def main(nodes: int) -> None:
    from ray.cluster_utils import Cluster

    same = {"num_cpus": 1, "object_store_memory": STORE, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=dict(same))
    joined = [_join(cluster, same) for _ in range(nodes - 1)]
    print(f"said {cluster.address}", flush=True)
    for line in sys.stdin:
        match line.strip():
            case "kill":
                cluster.remove_node(joined.pop(), allow_graceful=False)
            case "head":
                cluster.head_node.kill_all_processes(check_alive=False, allow_graceful=False)
            case "add":
                joined.append(_join(cluster, same))
            case "older":
                _say_python(cluster.address, "3.9.1")
            case "newer":
                _say_python(cluster.address, ".".join(map(str, sys.version_info[:3])))
        print("said done", flush=True)
    with suppress(Exception):
        cluster.shutdown()


def _join(cluster: Any, options: dict[str, Any]) -> Any:
    """Returns a new node; on a busy machine one may not begin within the 30 s that Ray waits."""
    for _ in range(3):
        with suppress(Exception):
            return cluster.add_node(**options)
    return cluster.add_node(**options)


def _say_python(address: str, version: str) -> None:
    """Has the cluster say that it runs on another Python, as it tells whoever connects."""
    import json

    from ray._raylet import GcsClient

    client = GcsClient(address=address)
    key, space = b"CLUSTER_METADATA", b"cluster"
    told = json.loads(client.internal_kv_get(key, space))
    told["python_version"] = version
    client.internal_kv_put(key, json.dumps(told).encode(), True, space)


if __name__ == "__main__":
    main(int(sys.argv[1]))
