"""
Tells a wrong adapter from a wrong implementation.
"""
