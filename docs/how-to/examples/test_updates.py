from pathlib import Path

import pytest


class Lister:
    """The code under test: tells which pods came and went, by file name."""

    def __init__(self, directory: Path, tell) -> None:
        self.directory, self.tell, self.names = directory, tell, set()

    def look(self) -> None:
        names = {path.stem for path in self.directory.glob("*.yaml")}
        for operation, changed in (
            ("REMOVE", self.names - names),
            ("ADD", names - self.names),
        ):
            if changed:
                pods = [{"metadata": {"name": name}} for name in sorted(changed)]
                self.tell(operation, pods)
        self.names = names


def test_renamed_file_is_another_pod(
    podsource_manifest_dir, podsource_pod, podsource_updates
):
    lister = Lister(podsource_manifest_dir.path, podsource_updates.add)
    podsource_manifest_dir.write("web.yaml", podsource_pod("web"))
    lister.look()
    podsource_updates.expect([{"ADD": ["web"]}])

    podsource_manifest_dir.rename("web.yaml", "db.yaml")
    lister.look()

    podsource_updates.expect([{"REMOVE": ["web"]}, {"ADD": ["db"]}])


def test_difference_is_shown(podsource_updates, podsource_pod):
    podsource_updates.add("ADD", [podsource_pod("web")])

    with pytest.raises(AssertionError, match="they part at the first >"):
        podsource_updates.expect([{"REMOVE": ["web"]}])
