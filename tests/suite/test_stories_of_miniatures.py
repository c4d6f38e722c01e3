"""
Each mistake that people made is told so that one can find it from the story alone.
"""

from __future__ import annotations

import re

import pytest

from pytest_podsource.suite.story import load_origins, tell
from tests.miniature import Miniature
from tests.miniatures import MINIATURES
from tests.test_miniatures import cases, run


@pytest.mark.parametrize("miniature", MINIATURES, ids=lambda each: each.made.__name__)
def test_story_names_step_time_rule_fact_and_divergence(miniature: Miniature) -> None:
    """With the place in the kubelet's code, whom it hit, and the line to run it again."""
    case, origins = cases()[miniature.case], load_origins()
    again = f"pytest --podsource-impl=mine --podsource-case={case.id}"

    story = tell(run(miniature.implementation, case.id), origins, again=again)

    lines = story.splitlines()
    head = re.fullmatch(
        rf"FAILED {re.escape(case.id)}   step (\d+) of (\d+): .+, at \d+(\.\d+)? s",
        lines[0],
    )
    assert head
    assert int(head[1]) <= int(head[2]) == len(case.steps)
    (parted,) = [line for line in lines if line.endswith("<- they part here")]
    assert " > " in parted
    fact = origins.facts[miniature.fact]
    (rule,) = [line for line in lines if f" {miniature.fact}: {fact['rule']} (" in line]
    assert re.search(r"\([\w-]+\.go .+\)\.$|\(.+\)\.$", rule)
    assert (
        f"  kubelet   {case.title[:1].upper()}{case.title[1:].rstrip('.')}: " in story
    )
    assert "\n  met by    " in story
    assert f"  again     {again}" in lines
