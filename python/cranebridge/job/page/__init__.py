"""What the workbench asks for."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.job.page.described import choice_words, scenario_words
    from cranebridge.job.page.live import NotPlannedError, live_page, live_scenario
    from cranebridge.job.page.offered import choices_of
    from cranebridge.job.page.page_verbs import (
        PAGE,
        Scenario,
        campaign_found,
        check_found,
        deliver_into,
        load_text,
        plan_found,
        verify_found,
    )
    from cranebridge.job.page.sources import (
        Origin,
        checked_files,
        parse_text,
        ready_scenarios,
        ready_text,
    )
else:
    __getattr__, __dir__ = front(__name__)
