"""What people and editors do by hand: memories of a person, settings, categories, knowledge.

REST, pages and tools call these verbs. Each opens its own block, asks the table of rights (E2)
itself, embeds outside of the block and writes the audit entry in it. What it refuses is a
`tenants.answers.Refused` with the field to change, Django's PermissionDenied, or Http404.
"""
