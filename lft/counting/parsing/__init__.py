"""The steps behind `lft.counting.parse`.

In reading order: text, words, times, entries, tables, objects, blocks, contrast, ledger, labels; answer; mentions.
"""
