"""Reading: text -> typed tokens -> document tree -> claims -> one resolver -> a closed world.

`text` (views that keep every offset) -> `tokens`, `times` (what may be a time) -> `objects`, `tables`, `document`
(units: items, rows, objects, sentences) -> `judging`, `claims` (what each unit says happened, and when) -> `resolve`
(the list that the evidence agrees with, and doubts) -> `understood` (doubts about numbers and words that are not
known). `answer` finds the final answer, `mentions` is the published rule. `lexicon` holds the names of the rules and
reads the vocabulary: `words.yaml` (what the rules look for), `harmless.txt` (plain description), `plain.txt` (plain
words of reports). `reading` runs them all.
"""
