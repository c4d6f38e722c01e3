"""
The command ``podsource``: one module a command.
"""
