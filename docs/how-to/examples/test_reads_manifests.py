import json
from pathlib import Path

import pytest


def pod_names(directory: Path) -> list[str]:
    """The code under test: the names of the pods in a manifest directory."""
    files = sorted(path for path in directory.iterdir() if path.name[0] != ".")
    return [json.loads(path.read_text())["metadata"]["name"] for path in files]


def test_names_are_in_the_order_of_the_files(podsource_manifest_dir, podsource_pod):
    podsource_manifest_dir.write("b.json", podsource_pod("web"))
    podsource_manifest_dir.write("a.json", podsource_pod("db", namespace="prod"))

    assert pod_names(podsource_manifest_dir.path) == ["db", "web"]


def test_half_written_file_is_not_read(podsource_manifest_dir, podsource_pod):
    podsource_manifest_dir.place("a.json", podsource_pod("web"))
    podsource_manifest_dir.write(".a.json.swp", "half of it")

    assert pod_names(podsource_manifest_dir.path) == ["web"]


@pytest.mark.podsource(fs="fake")
def test_path_that_is_built_in(podsource_manifest_dir, podsource_pod):
    podsource_manifest_dir.write("a.json", podsource_pod("web"))

    assert pod_names(Path("/etc/kubernetes/manifests")) == ["web"]
