"""Options of the common commands for runs and sweeps of this suite."""

from __future__ import annotations

from pathlib import Path

import click

from lft.core.terminal import LABELS, Closed, FiniteRange

RULES = Closed(("ledger", "mentions"))
SENSITIVE = 10_000  # trials up to which tolerance and rule are part of every report: a few seconds

_CONDITION = (
    click.Option(
        ["--sampling"],
        multiple=True,
        help="native, fps:K, frames:K or keyframes:W, instead of the sweep's own.",
    ),
    click.Option(["--labels"], type=LABELS, multiple=True, help="The label beside each frame."),
    click.Option(
        ["--prompt"], multiple=True, help="Prompt condition: a name in prompts/conditions or a .txt file."
    ),
    click.Option(
        ["--prompts"],
        type=click.Path(path_type=Path, exists=True, file_okay=False),
        help="A folder with conditions/ and questions/ that take precedence over those of LFT.",
    ),
)
_CLIPS = click.Option(
    ["--clips", "clips_folder"], type=click.Path(path_type=Path), help="Folder of rendered clips."
)
_RULE = (
    click.Option(["--rule"], type=RULES, default="ledger", show_default=True, help="Extraction rule."),
    click.Option(
        ["--tolerance"], default="rate", show_default=True, help="rate (1 / 2F) or a number of seconds."
    ),
    click.Option(
        ["--clips", "clips_folder"], type=click.Path(path_type=Path), help="The clips, if they have moved."
    ),
)
_POSITIVE = FiniteRange(0, min_open=True)
OPTIONS: dict[str, tuple[click.Option, ...]] = {
    "sweep": (
        *_CONDITION,
        _CLIPS,
        click.Option(["--until-frontier"], is_flag=True, help="Ask only trials that a frontier depends on."),
        click.Option(
            ["--tau"],
            type=FiniteRange(0, 1, min_open=True),
            default=0.8,
            show_default=True,
            help="Accuracy that counts as reliable, for --until-frontier.",
        ),
        click.Option(
            ["--native-rate"],
            type=_POSITIVE,
            help="Hz at which the provider samples native video, if its adapter does not know; stored with the run.",
        ),
    ),
    "plan": (
        *_CONDITION,
        _CLIPS,
        click.Option(
            ["--power", "with_power"], is_flag=True, help="Also print the power of so many clips and seeds."
        ),
    ),
    "score": (
        *_RULE,
        click.Option(
            ["--native-rate"],
            type=_POSITIVE,
            help="Hz at which the provider sampled native video, if its adapter does not know; stored with the run.",
        ),
    ),
    "show": _RULE,
    "audit": (
        click.Option(
            ["--tau"],
            type=float,
            default=0.8,
            show_default=True,
            help="Accuracy that counts as reliable, inclusive.",
        ),
        click.Option(
            ["--against"],
            help="Condition to compare with: 'SAMPLING LABELS PROMPT'. Default: each model's first.",
        ),
        click.Option(
            ["--clips", "clips_folder"],
            type=click.Path(path_type=Path),
            help="Current folder of the runs' clips.",
        ),
        click.Option(
            ["--no-sensitivity"],
            is_flag=True,
            help="Leave out tolerance x rule, which scores every answer again.",
        ),
        click.Option(
            ["--draws"], type=click.IntRange(100), default=2000, show_default=True, help="Resamples."
        ),
        click.Option(
            ["--all", "everything"], is_flag=True, help="Print all tables, not only the main results."
        ),
    ),
    "report": (
        click.Option(
            ["--tau"], type=float, default=0.8, show_default=True, help="Accuracy that counts as reliable."
        ),
        click.Option(
            ["--with-published"],
            is_flag=True,
            help="Also draw the published surfaces, from results/published.",
        ),
        click.Option(
            ["--published"],
            type=click.Path(path_type=Path),
            default=Path("results/published/surfaces.csv"),
            show_default=True,
            help="The file that --with-published reads.",
        ),
        click.Option(
            ["--videos"],
            type=click.Choice(["link", "copy", "none"]),
            default="link",
            show_default=True,
            help="link: play from their folder; copy: copy beside the page, which can then be sent; none.",
        ),
        click.Option(
            ["--clips"],
            type=click.Path(path_type=Path),
            help="Folder of the clips, if they moved since the sweep.",
        ),
        click.Option(
            ["--sensitivity/--no-sensitivity"],
            default=None,
            help=f"Also score every answer under each rule and tolerance. Default: up to {SENSITIVE:,} trials.",
        ),
        click.Option(
            ["--column"],
            is_flag=True,
            help="Figures for one column of a paper, panels below each other, as PDF too.",
        ),
    ),
    "power": (
        click.Option(
            ["--difference"],
            type=float,
            help="Difference in accuracy between two conditions on the same clips.",
        ),
        click.Option(
            ["--discordant"],
            type=float,
            help="Share of clips whose outcome changes; default |difference| + 0.1.",
        ),
        click.Option(
            ["--power", "wanted"],
            type=float,
            default=0.8,
            show_default=True,
            help="Probability to find the difference.",
        ),
        click.Option(
            ["--alpha"],
            type=float,
            default=0.05,
            show_default=True,
            help="Level of the exact McNemar test.",
        ),
        click.Option(
            ["--accuracy"], type=float, help="True accuracy of a cell, to be distinguished from tau."
        ),
        click.Option(
            ["--tau"],
            type=float,
            default=0.8,
            show_default=True,
            help="Accuracy that counts as reliable, inclusive.",
        ),
        click.Option(
            ["--certainty"],
            type=float,
            default=0.95,
            show_default=True,
            help="Probability that the frontier is right.",
        ),
        click.Option(
            ["--cells"],
            type=int,
            default=1,
            show_default=True,
            help="Number of cells along the frontier.",
        ),
        click.Option(
            ["--replicates"],
            type=int,
            default=1,
            show_default=True,
            help="How often each clip is asked.",
        ),
        click.Option(
            ["--correlation"],
            type=float,
            default=1.0,
            show_default=True,
            help="Correlation of answers about a clip, with replicates; 1: replicates add nothing.",
        ),
    ),
}
