"""
One way to speak to any implementation.
"""
