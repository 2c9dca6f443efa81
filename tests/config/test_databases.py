"""The two roles as the suite finds them."""

import pytest
from django.contrib.auth.models import User
from django.db import ProgrammingError, connection


@pytest.mark.django_db
def test_the_suite_runs_as_the_application() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user, current_database()")
        role, database = cursor.fetchone()
    assert role == "keepsake_app"
    assert database.startswith("test_")


@pytest.mark.django_db
def test_the_application_owns_nothing_and_changes_no_table() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_class WHERE relowner = 'keepsake_app'::regrole")
        assert cursor.fetchone() == (0,)
        with pytest.raises(ProgrammingError, match="must be owner"):
            cursor.execute("ALTER TABLE auth_user ADD COLUMN more text")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("round_", [1, 2])
def test_the_flush_between_transactional_tests_empties_the_tables(round_: int) -> None:
    assert User.objects.count() == 0
    User.objects.create(username="somebody")
