"""
Facts of the URL source, each with a line of the reference that breaks it.
"""

from __future__ import annotations

from tests.broken_reference import Patch

_SOURCE = "core.http_source"
_EXCHANGE = "core.http_exchange"
_VERSIONS = "core.versions"

FACTS: dict[str, Patch] = {
    "URL-01": Patch(
        module=_SOURCE,
        old="call_later(0, self._attempt)",
        new="call_later(self._config.period_ns, self._attempt)",
    ),
    "URL-02": Patch(
        module=_VERSIONS,
        old='"url_timeout_ns": {"1.1": 0, "1.20": 10_000_000_000}',
        new='"url_timeout_ns": {"1.1": 0, "1.20": 13_000_000_000}',
    ),
    "URL-03": Patch(
        module=_SOURCE, old="if outcome.status != OK:", new="if outcome.status >= 300:"
    ),
    "URL-04": Patch(
        module=_EXCHANGE,
        old="if self._max_bytes is not None and len(body)",
        new="if reply.status == 200 and self._max_bytes is not None and len(body)",
    ),
    "URL-05": Patch(
        module=_EXCHANGE,
        old="len(body) >= self._max_bytes",
        new="len(body) > self._max_bytes",
    ),
    "URL-06": Patch(
        module=_SOURCE,
        old="pods = [] if _is_empty(outcome) else None",
        new="pods = None",
    ),
    "URL-07": Patch(
        module=_SOURCE, old="if outcome.body == self._data:", new="if False:"
    ),
    "URL-08": Patch(
        module=_SOURCE,
        old="if outcome.body == self._data:",
        new='if outcome.body.replace(b"# hello\\n", b"") == self._data:',
    ),
    "URL-09": Patch(
        module=_SOURCE,
        old="        self._data = outcome.body\n        return self._decoded(outcome)",
        new="        pods = self._decoded(outcome)\n        self._data = outcome.body\n        return pods",
    ),
    "URL-10": Patch(
        module=_SOURCE,
        old='            raise Refused(f"{url}: the body is empty")',
        new='            self._data = b""\n            raise Refused(f"{url}: the body is empty")',
    ),
    "URL-11": Patch(
        module=_SOURCE,
        old="        if isinstance(outcome, OSError):\n            raise",
        new='        if isinstance(outcome, OSError):\n            self._data = b""\n            raise',
    ),
    "URL-12": Patch(
        module=_SOURCE,
        old="            return [self._decode(reply.body)]\n        except Refused as error:\n            if error.parsed:\n                raise\n",
        new="            return [self._decode(reply.body)]\n        except Refused as error:\n            raise\n",
    ),
    "URL-13": Patch(
        module=_SOURCE,
        old="return self._decode_list(reply.body)",
        new="return self._decode_list(reply.body)[::-1]",
    ),
    "URL-14": Patch(
        module=_SOURCE,
        old="        if pods is None:\n            self._rest()",
        new="        if not pods:\n            self._rest()",
    ),
    "URL-15": Patch(
        module="core.manifest.decode",
        old="return [decoder.finish(pod, defaults=has_version) for pod in pods]",
        new='return [decoder.finish(pod, defaults=has_version) for pod in pods if pod["spec"].get("containers")]',
    ),
    "URL-16": Patch(
        module=_SOURCE,
        old="return self._decode_list(reply.body)",
        new='return list({pod["metadata"]["name"]: pod for pod in self._decode_list(reply.body)}.values())',
    ),
    "URL-17": Patch(
        module=_SOURCE,
        old="            text = reply.body.decode",
        new="            return []\n            text = reply.body.decode",
    ),
    "URL-18": Patch(
        module="core.manifest.text",
        old="loader.get_node() if loader.check_node() else None",
        new="[loader.get_node() for _ in iter(loader.check_node, False)][-1]",
    ),
    "URL-19": Patch(
        module=_SOURCE,
        old="return self._decode_list(reply.body)",
        new='return self._decode_list(reply.body.lstrip(b"{"))',
    ),
    "URL-20": Patch(
        module=_SOURCE,
        old="if outcome.status != OK:",
        new='if outcome.status != OK or any("html" in value for _, value in outcome.headers):',
    ),
    "URL-21": Patch(
        module=_EXCHANGE,
        old=") + tuple(pair for pair in headers if",
        new=") + tuple(pair for pair in dict(headers).items() if",
    ),
    "URL-22": Patch(
        module=_EXCHANGE,
        old='"Authorization": _basic(url)}',
        new='"Authorization": _basic(url) or "x"}',
    ),
    "URL-23": Patch(
        module=_EXCHANGE,
        old="if self._requests >= MAX_REQUESTS:",
        new="if self._requests > MAX_REQUESTS:",
    ),
    "URL-24": Patch(
        module=_EXCHANGE, old="body = _gunzip(body, self._max_bytes)", new="pass"
    ),
    "URL-25": Patch(
        module=_EXCHANGE,
        old='not in ("http", "https")',
        new='not in ("http", "https", "file", "ftp", "")',
    ),
    "URL-26": Patch(module=_SOURCE, old="TOLD_FAILURES = 4", new="TOLD_FAILURES = 5"),
    "URL-27": Patch(
        module=_SOURCE,
        old="        if self._failures:\n",
        new="        if not self._failures:\n",
    ),
    "URL-28": Patch(
        module=_SOURCE, old="pods = [] if _is_empty(outcome) else None", new="pods = []"
    ),
    "URL-29": Patch(
        module=_SOURCE,
        old="                self._config.period_ns, self._attempt\n",
        new="                self._config.period_ns * (1 + self._failures), self._attempt\n",
    ),
    "URL-30": Patch(
        module=_SOURCE,
        old="                self._config.period_ns, self._attempt\n",
        new="                max(1, self._config.period_ns), self._attempt\n",
    ),
    "URL-31": Patch(
        module=_SOURCE,
        old="self._env.send(SourceUpdate(source=SOURCE, pods=tuple(pods)), self._rest)",
        new="self._env.send(SourceUpdate(source=SOURCE, pods=tuple(pods)))\n        self._rest()",
    ),
    "URL-32": Patch(module=_SOURCE, old='SOURCE = "http"', new='SOURCE = "url"'),
}
