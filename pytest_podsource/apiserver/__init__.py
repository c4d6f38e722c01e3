"""
What an apiserver answers about pods and nodes, without I/O, threads and a clock.

``Store`` holds objects and the changes that led to them, ``Model`` answers lists, gets and
watches from it, ``answers`` turns the text of a request into one of those. The HTTP shell
is ``doubles/apiserver``; the simulated world asks the model itself.
"""
