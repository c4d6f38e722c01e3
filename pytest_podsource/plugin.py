"""
The hooks of pytest; each hands over within ten lines.
"""
