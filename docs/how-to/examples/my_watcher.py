import json
from pathlib import Path

from pytest_podsource import SourceUpdate


class FileSource:
    """Lists a directory at once and then every period."""

    def __init__(self, config, env):
        self.config, self.env = config, env
        self.cancel = None

    def start(self):
        self.list()

    def stop(self):
        self.cancel()

    def list(self):
        paths = sorted(Path(self.config.path).glob("[!.]*"))
        pods = tuple(json.loads(path.read_text()) for path in paths)
        self.env.send(SourceUpdate(source="file", pods=pods))
        self.cancel = self.env.clock.call_later(self.config.period_ns, self.list)


def new_file_source(config, env):
    return FileSource(config, env)
