"""The check: a model's answer by candidate ids, or the offline comparison in its place."""

import logging
from collections.abc import Sequence

from memory.conflicts.types import Candidate, Checked, Contradiction, Severity
from memory.providers.errors import ProviderError
from memory.providers.offline import OfflineLanguage
from memory.providers.offline.contradiction import clipped
from memory.providers.types import Comparison, Conflict, Language

log = logging.getLogger(__name__)

OFFLINE = "offline"
_offline = OfflineLanguage()


def check(
    text: str,
    candidates: Sequence[Candidate],
    *,
    language: Language | None = None,
    timeout: float,
) -> Checked:
    """Which candidates the text contradicts. Call it outside any block of a tenant.

    Without a language, or with the offline one, it is the offline comparison. A model that fails
    in any way a provider can is replaced by it, and `fell_back` says why. `timeout` is seconds.
    """
    if language is None or language.made.provider == OFFLINE:
        return Checked(check_offline(text, candidates), OFFLINE)
    if not candidates:
        return Checked((), language.made.model)
    comparison = Comparison(text, [candidate.text for candidate in candidates])
    try:
        compared = language.contradictions(comparison, timeout=timeout)
    except ProviderError as error:
        log.warning("contradictions: the model gave no answer (%s), checked offline", error.name)
        return Checked(check_offline(text, candidates), OFFLINE, error.name)
    return Checked(_by_id(text, candidates, compared.conflicts), compared.made.model)


def check_offline(text: str, candidates: Sequence[Candidate]) -> tuple[Contradiction, ...]:
    """The offline comparison alone: plain Python, no network, may run inside a lock."""
    comparison = Comparison(text, [candidate.text for candidate in candidates])
    return _by_id(text, candidates, _offline.contradictions(comparison, timeout=0).conflicts)


def _by_id(
    text: str, candidates: Sequence[Candidate], conflicts: Sequence[Conflict]
) -> tuple[Contradiction, ...]:
    numbered = dict(enumerate(candidates, start=1))
    return tuple(
        Contradiction(
            numbered[conflict.number].id,
            Severity(conflict.severity),
            conflict.description
            or f"`{clipped(text)}` contradicts `{clipped(numbered[conflict.number].text)}`",
        )
        for conflict in sorted(conflicts, key=lambda conflict: conflict.number)
        if conflict.number in numbered
    )
