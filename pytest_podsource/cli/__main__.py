"""
``python -m pytest_podsource.cli``: the command, where it isn't on the path.
"""

from pytest_podsource.cli import main

main()
