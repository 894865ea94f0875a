"""The ideal observer: the best count that the supplied frames and a stated prior allow. See `bound` for the public
side.
"""
