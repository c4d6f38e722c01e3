"""
Differential testing: two implementations live through generated scenarios.
"""
