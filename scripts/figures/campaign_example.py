"""Figures and pictures of docs/campaigns.md: payloads from the empty spreader to 30 t."""

from __future__ import annotations

import tempfile
from pathlib import Path

from marks import DOCS, ROOT, Files, page_with

import cranebridge
from cranebridge.campaign import BEYOND
from cranebridge.job.campaign import CampaignResult, campaign_into, campaign_pictures


def figures(campaign: CampaignResult) -> str:
    """Return the table of the document."""
    lines = ["| | kept in | 95 % interval |", "|---|---|---|"]
    for name, found in campaign.statistics.probabilities.items():
        if found.value < 1.0 or name == "passed":
            title = "all limits" if name == "passed" else name.removeprefix("passed.")
            interval = f"{100 * found.low:.1f} to {100 * found.high:.1f} %"
            lines.append(f"| {title} | {100 * found.value:.1f} % | {interval} |")
    lines += ["", "| | 5 % | median | 95 % | largest |", "|---|---|---|---|---|"]
    for name, spread in campaign.statistics.spreads.items():
        if name.startswith(("max_error", "residual_swing", "lasting_offset", "peak")):
            values = [q.value for q in spread.quantiles if q.level in (0.05, 0.5, 0.95)]
            cells = " | ".join(
                BEYOND if value is None else f"{value:.3g}"
                for value in (*values, spread.largest[0][1])
            )
            lines.append(f"| `{name}` | {cells} |")
    box = campaign.box
    if box is not None:
        lines += ["", "| box in which all limits hold | from | to |", "|---|---|---|"]
        for key, low, high in zip(box.keys, box.low, box.high, strict=True):
            lines.append(f"| `{key}` | {low:.4g} | {high:.4g} |")
        lines += ["", f"{box.evaluations} runs for the box; ended: {box.ended}."]
    shares = {one.key: one.deciding.value for one in campaign.indices["margin"]}
    said = ", ".join(
        f"`{key}` {100 * max(value or 0.0, 0.0):.0f} %" for key, value in shares.items()
    )
    lines += ["", f"What the variance of the least margin goes with: {said}."]
    return "\n".join(lines) + "\n"


def made() -> Files:
    """Carry out the campaign, and return the page with what it says, and its pictures."""
    scenario = cranebridge.load(str(ROOT / "examples" / "payload_campaign.toml"))
    with tempfile.TemporaryDirectory() as folder:
        campaign = campaign_into(scenario, Path(folder) / "payload", report_stage=print)
        pictures = campaign_pictures(campaign).items()
        files = {DOCS / f"campaign-{name}.png": picture for name, picture in pictures}
        return files | page_with(figures(campaign), "campaigns.md", "campaign_example")
