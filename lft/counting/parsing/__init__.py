"""The steps behind `lft.counting.parse`.

In reading order: text; numerals, words, tokens, times; judging, ellipsis, cutting, entries; columns, tables; members,
objects; headings, corrections, blocks; contrast, ledger, labels; answer; mentions.
"""
