import json
from pathlib import Path

from pytest_podsource import SourceUpdate, threads


class FileSource:
    """The same as a thread that sleeps."""

    def __init__(self, config, env):
        self.config, self.world = config, threads.run(env)

    def start(self):
        self.world.spawn(self.poll)

    def stop(self):
        self.world.stop()

    def poll(self):
        while True:
            paths = sorted(Path(self.config.path).glob("[!.]*"))
            pods = tuple(json.loads(path.read_text()) for path in paths)
            self.world.send(SourceUpdate(source="file", pods=pods))
            self.world.sleep(self.config.period_ns)


def new_file_source(config, env):
    return FileSource(config, env)
