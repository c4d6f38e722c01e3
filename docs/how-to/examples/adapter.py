"""
An adapter for one function; see adapt-my-program.md.
"""

import json
import sys

OFFER = {
    "protocol": 1,
    "name": "mine",
    "version": "1.0",
    "language": "python",
    "kubelet": None,
    "components": ["diff"],
    "features": [],
    "abilities": {"time": "virtual", "watch": "told", "http": "told"},
}


def diff(old: dict, new: dict) -> dict:
    """Return the keys that came, changed and went."""
    return {
        "added": sorted(new.keys() - old.keys()),
        "updated": sorted(k for k in old.keys() & new.keys() if old[k] != new[k]),
        "removed": sorted(old.keys() - new.keys()),
    }


now_ns = 0
for line in sys.stdin:
    message = json.loads(line)
    method, params = message["method"], message.get("params", {})
    if method == "initialize":
        result = OFFER
    elif method == "component/call":
        result = {"value": diff(**params["arguments"])}
    elif method == "clock/advance":
        now_ns = params["to_ns"]
        result = {"now_ns": now_ns}
    elif method == "settle":
        result = {"now_ns": now_ns}
    elif method == "world/begin":
        now_ns, result = 0, {}
    else:
        result = {}
    if "id" in message:
        print(
            json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}),
            flush=True,
        )
    if method == "shutdown":
        break
