"""
A file source as coroutines: one that ticks, one that watches.
"""

from __future__ import annotations

import asyncio
import os

from manifests import listing

from pytest_podsource import Config, Environment, SourceUpdate, aio


class FileSource:
    """
    Lists and watches one directory, in asyncio.
    """

    def __init__(self, config: Config, env: Environment) -> None:
        self.config = config
        self.io = aio.run(env)

    async def start(self) -> None:
        """List, and go on in the background."""
        await self.send()
        self.io.spawn(self.tick())
        self.io.spawn(self.watch())

    async def stop(self) -> None:
        """End both."""
        self.io.stop()

    async def tick(self) -> None:
        """List every period."""
        while True:
            await asyncio.sleep(self.config.period_ns / 1e9)
            await self.send()

    async def watch(self) -> None:
        """List after each event."""
        try:
            async for event in self.io.watch(self.config.path):
                if not os.path.basename(event.path).startswith("."):
                    await self.send()
        except FileNotFoundError:
            return

    async def send(self) -> None:
        """Send the whole set."""
        pods = listing(self.config.path, self.config.node_name)
        await self.io.send(SourceUpdate(source="file", pods=pods))


def new_file_source(config: Config, env: Environment) -> FileSource:
    """Return a file source."""
    return FileSource(config, env)
