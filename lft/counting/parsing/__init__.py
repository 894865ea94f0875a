"""Reading: text -> typed tokens -> document tree -> claims -> one resolver -> a closed world.

`text` (views that keep every offset) -> `tokens`, `times` (what may be a time) -> `objects`, `tables`, `document`
(units: items, rows, objects, sentences) -> `judging`, `claims` (what each unit says happened, and when) -> `resolve`
(the list that the evidence agrees with, and doubts) -> `understood` (doubts about what is not
known). `answer` finds
the final answer, `mentions` is the published rule, `lexicon` and `words.yaml` hold the vocabulary and the names of
the rules. `reading` runs them all.
"""
