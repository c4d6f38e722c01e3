"""
Worlds that a case runs in: simulated, patched, fake and real.
"""
