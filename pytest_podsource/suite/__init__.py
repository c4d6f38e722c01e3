"""
Cases: load, run, judge, tell.
"""
