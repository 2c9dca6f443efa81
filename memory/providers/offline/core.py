"""The few facts about a person that are kept however short they are said."""

import re

from memory.providers.offline.statements import Told

_CORE = re.compile(
    r"^(?:i(?:'m| am) (?:allergic|vegan|vegetarian|pregnant|diabetic|married|engaged"
    r"|divorced|retired"
    r"|left-handed|colou?r ?blind|deaf|blind|lactose)"
    r"|i (?:live|moved|was born|work (?:as|at|for)|grew up|have (?:a |an |two |three "
    r")?(?:\w+ )?(?:son|daughter|kids?|children|dog|cat|allerg\w+))\b"
    r"|my (?:name|pronouns|birthday|address|e-?mail|phone|favou?rite|\w+(?: \w+)?'s "
    r"name|(?:\w+ )?(?:is|are) (?:called|named))"
    r"|my \w+(?: \w+)? (?:is|are) (?:called|named)\b"
    r"|i(?:'m| am) (?:called|named|from|based in|a \w+ (?:by|at)|\d+ (?:years old)?))",
    re.IGNORECASE,
)


def is_core(told: Told) -> bool:
    """Whether the sentence is a plain personal fact such as an allergy, a home or a name."""
    return told.direct and bool(_CORE.search(told.body))
