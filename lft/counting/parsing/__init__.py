"""The steps behind `lft.counting.parse`, in reading order: text, times, words, entries, tables, objects, ledger, answer."""
