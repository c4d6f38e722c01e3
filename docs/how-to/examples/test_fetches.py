import pytest
import requests


class Fetcher:
    """The code under test: keeps the last good manifest."""

    def __init__(self, url: str, token: str) -> None:
        self.url, self.headers, self.pod = url, {"X-Token": token}, None

    def fetch(self) -> None:
        try:
            reply = requests.get(self.url, headers=self.headers, timeout=10)
        except requests.RequestException:
            return
        if reply.status_code == 200:
            self.pod = reply.json()["metadata"]["name"]


def test_pod_stays_while_the_server_fails(podsource_url, podsource_pod):
    podsource_url.reply(podsource_pod("web"))
    podsource_url.reply("busy", status=503)
    podsource_url.fail("reset")
    podsource_url.fail("silent")
    podsource_url.reply(podsource_pod("web-2"))
    fetcher = Fetcher(podsource_url.url, token="abc")

    pods = []
    for _ in range(5):
        fetcher.fetch()
        pods.append(fetcher.pod)

    assert pods == ["web", "web", "web", "web", "web-2"]
    assert all(seen.headers["x-token"] == "abc" for seen in podsource_url.requests)


@pytest.mark.podsource(http="server")
def test_over_a_real_socket(podsource_url, podsource_pod):
    podsource_url.reply(podsource_pod("web"))
    fetcher = Fetcher(podsource_url.url, token="abc")

    fetcher.fetch()

    assert fetcher.pod == "web"
