"""The two roles and what a new database starts with: the statements, as a superuser runs them.

docs/postgres.md prints the same statements for a server of your own.
"""

import hashlib

OWNER = "keepsake_owner"
APP = "keepsake_app"
STATEMENT_SECONDS = 60
IDLE_SECONDS = 60


def template_statements() -> list[str]:
    """For `template1`, so that every database made later (the tests' too) has them."""
    return [
        "CREATE EXTENSION IF NOT EXISTS vector",
        "CREATE EXTENSION IF NOT EXISTS pg_trgm",
        *(_role(OWNER, "LOGIN CREATEDB"), _role(APP, "LOGIN")),
        *default_privileges(),
    ]


def server_statements() -> list[str]:
    """For the roles themselves."""
    return [
        f"ALTER ROLE {OWNER} NOSUPERUSER NOBYPASSRLS CREATEDB",
        f"ALTER ROLE {APP} NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE",
        f"ALTER ROLE {APP} SET statement_timeout = '{STATEMENT_SECONDS}s'",
        f"ALTER ROLE {APP} SET idle_in_transaction_session_timeout = '{IDLE_SECONDS}s'",
    ]


def default_privileges() -> list[str]:
    """What the application may do with whatever the owner makes: rows yes, TRUNCATE no."""
    mine = f"ALTER DEFAULT PRIVILEGES FOR ROLE {OWNER}"
    return [
        f"{mine} IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {APP}",
        f"{mine} IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO {APP}",
        f"{mine} REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC",
    ]


def _role(name: str, rights: str) -> str:
    return (
        f"DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{name}') "
        f"THEN CREATE ROLE {name} {rights}; END IF; END $$"
    )


RECIPE = hashlib.sha256(
    "\n".join([*template_statements(), *server_statements()]).encode()
).hexdigest()
