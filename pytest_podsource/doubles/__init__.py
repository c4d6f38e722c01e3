"""
What the fixtures hand out.
"""
