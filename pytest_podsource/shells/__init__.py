"""
What really lists, watches and fetches.
"""
