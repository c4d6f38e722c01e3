from pathlib import Path


def manifests(directory: Path) -> list[str]:
    """The code under test: the names of the manifests in a directory."""
    return sorted(path.name for path in directory.iterdir() if path.name[0] != ".")


def test_edited_manifest_is_one_manifest(podsource_manifest_dir, podsource_pod):
    podsource_manifest_dir.write("web.yaml", podsource_pod("web"))

    podsource_manifest_dir.save_like("vim", "web.yaml", podsource_pod("web-2"))

    assert manifests(podsource_manifest_dir.path) == ["web.yaml"]


def test_nothing_else_is_seen_while_vim_saves(podsource_manifest_dir, podsource_pod):
    podsource_manifest_dir.write("web.yaml", podsource_pod("web"))
    seen = set()
    podsource_manifest_dir.watch(
        lambda event: seen.update(manifests(podsource_manifest_dir.path))
    )

    podsource_manifest_dir.save_like("vim", "web.yaml", podsource_pod("web-2"))

    assert seen == {"web.yaml"}
