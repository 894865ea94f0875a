"""The example that ends the help of each command; tests/commands/test_cli.py holds that each can be typed."""

from __future__ import annotations

EXAMPLES: dict[str, str] = {
    "render": "lft render --grid demo --jobs 2",
    "clip": "lft clip blinking --count 3 --frequency 2 --seed 7 --out one",
    "verify": "lft verify results/clips/demo",
    "observe": "lft observe one/videos/blinking/n03_f2.0_s07.mp4 --domain blinking --sampling fps:8",
    "models": "lft models",
    "prompt": "lft prompt blinking/n04_f1.0_s00 --clips results/clips/demo --sampling fps:1 --out asked",
    "plan": "lft plan baseline --model gemini:gemini-3.6-flash",
    "sweep": "lft sweep demo --model observer --sampling fps:4",
    "parse": "lft parse answer.txt --rule mentions --json",
    "match": "lft match --true 1.0,2.0 --reported 1.1,2.4 --tolerance 0.25",
    "score": "lft score results/runs/demo-observer --rule mentions --tolerance 0.5",
    "readings": "lft readings results/runs/demo-observer --sample 10 --seed 0",
    "frontier": "lft frontier results/runs/demo-observer --tau 0.9",
    "ceiling": "lft ceiling results/clips/demo --sampling fps:1",
    "audit": "lft audit results/runs/demo-observer --draws 200",
    "power": "lft power --difference 0.1",
    "report": "lft report results/runs/demo-observer --out results/report",
    "cases": "lft cases results/runs/demo-observer --cause no-evidence --n 2 --out cards",
    "cost": "lft cost results/runs/demo-observer",
    "show": "lft show results/runs/demo-observer blinking/n04_f4.0_s00,fps:1",
    "diff": "lft diff results/runs/demo-observer results/runs/demo-simulated",
    "export": "lft export results/clips/demo --to hf --out dataset",
    "import": "lft import responses answers.csv --clips results/clips/demo --out results/runs/mine",
}
