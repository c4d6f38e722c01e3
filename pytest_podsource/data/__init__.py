"""
Generated tables; ``scripts/`` has what makes them.
"""
