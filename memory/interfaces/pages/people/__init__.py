"""Pages of contract 2: memory of the tenant, of an agent, of a person; and a person's own page.

A page is one address for GET. Its forms post to addresses of their own, run one verb, and go back
to the page; a refusal draws the page again with the reason under the field. htmx takes the same
answers and puts the part between the tabs and the foot in its place.
"""
