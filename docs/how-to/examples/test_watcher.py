from pathlib import Path

import pytest


class Watcher:
    """The code under test: knows which manifests there are; is told of events."""

    def __init__(self, directory: Path) -> None:
        self.directory, self.names = directory, set()

    def on_event(self, event) -> None:
        path = Path(event.path)
        if path.name.startswith("."):
            return
        if "remove" in event.ops or "rename" in event.ops:
            self.names.discard(path.name)
        else:
            self.names.add(path.name)


@pytest.fixture
def watcher(podsource_manifest_dir):
    made = Watcher(podsource_manifest_dir.path)
    podsource_manifest_dir.watch(made.on_event)
    return made


def test_file_that_is_replaced_stays(podsource_manifest_dir, podsource_pod, watcher):
    podsource_manifest_dir.write("web.yaml", podsource_pod("web"))

    podsource_manifest_dir.place("web.yaml", podsource_pod("web", image="nginx:2"))

    assert watcher.names == {"web.yaml"}


@pytest.mark.parametrize("program", ["vim", "sed -i", "ed", "cp", "place"])
def test_editors_leave_one_manifest(
    podsource_manifest_dir, podsource_pod, watcher, program
):
    podsource_manifest_dir.write("web.yaml", podsource_pod("web"))

    podsource_manifest_dir.save_like(program, "web.yaml", podsource_pod("web-2"))

    assert watcher.names == {"web.yaml"}


def test_backup_is_a_second_manifest(podsource_manifest_dir, podsource_pod, watcher):
    podsource_manifest_dir.write("web.yaml", podsource_pod("web"))
    podsource_manifest_dir.events.clear()

    podsource_manifest_dir.save_like("sed -i.bak", "web.yaml", podsource_pod("web-2"))

    assert watcher.names == {"web.yaml", "web.yaml.bak"}
    assert podsource_manifest_dir.events[-4:] == [
        ("rename", "web.yaml"),
        ("create", "web.yaml.bak"),
        ("rename", "sedSTQUkB"),
        ("create", "web.yaml"),
    ]


def test_broken_manifest_is_read_and_refused(podsource_manifest_dir, podsource_pod):
    path = podsource_manifest_dir.write("a.yaml", podsource_pod.broken("half-written"))
    podsource_manifest_dir.fail("a.yaml", "EIO")

    with pytest.raises(OSError, match="Input/output error"):
        path.read_bytes()
