"""Reading: text -> typed tokens -> document tree -> claims -> one resolver -> the account of all numbers.

`text` (views that keep every offset) -> `tokens`, `times` (what may be a time) -> `objects`, `tables`, `document`
(units: items, rows, objects, sentences) -> `judging`, `claims` (what each unit says happened, and when) -> `resolve`
(the list that the evidence agrees with) -> `account` (every number has a place, and no word moves the numbers; else
there is a doubt). `answer` finds the final answer, `mentions` is the published rule. `lexicon` holds the names of the
rules and reads their words (`words.yaml`). `reading` runs them all.
"""
