"""Every setting of Keepsake, read from the environment; docs/settings.md lists them."""

from pathlib import Path
from typing import Any

import dj_database_url
from csp.constants import NONCE, NONE, SELF

from config.embedded import Embedded
from config.environment import Environment
from config.kept_secrets import made_once

BASE_DIR = Path(__file__).resolve().parent.parent
env = Environment()

# --- where things are kept, and how it is reached ---------------------------------------------
KEEPSAKE_HOME = env.parsed(
    "KEEPSAKE_HOME",
    BASE_DIR / "var",
    lambda raw: Path(raw).expanduser().resolve(),
    expected="a folder",
    shown="`var/` beside manage.py",
)
HOST = env.text("HOST", "127.0.0.1", expected="an address to listen on")
PORT = env.whole("PORT", 8000, low=1, high=65535)
DEBUG = env.switch("DEBUG", False)
ALLOWED_HOSTS = env.words(
    "ALLOWED_HOSTS",
    ["localhost", "127.0.0.1", "[::1]"],
    expected="host names with commas between",
    shown="loopback only",
)
TRUSTED_PROXIES = env.words(
    "TRUSTED_PROXIES",
    [],
    expected="addresses or networks with commas between",
    shown="none",
    each=Environment.network,
)

# --- databases ----------------------------------------------------------------------------------
POSTGRES = ("postgres", "postgresql")
DATABASE_URL = env.address("DATABASE_URL", None, schemes=POSTGRES, shown="embedded")
DATABASE_OWNER_URL = env.address("DATABASE_OWNER_URL", None, schemes=POSTGRES, shown="embedded")
PRODUCTION = DATABASE_URL is not None and not DEBUG
EMBEDDED = None if DATABASE_URL else Embedded(KEEPSAKE_HOME)
# Not behind a pooler in transaction mode, unless it carries prepared statements along.
PREPARES = env.switch("DATABASE_PREPARES", DATABASE_URL is None, shown="on for the embedded")
# Which process this is: "web" keeps a pool of connections, everything else one plain connection.
PROCESS = env.choice("KEEPSAKE_PROCESS", "command", among=["web", "worker", "beat", "command"])


def _database(url: str | None, role: str) -> dict[str, Any]:
    """One alias: the address if there is one, else the embedded server's socket."""
    if url is None and EMBEDDED is not None:
        settings: dict[str, Any] = EMBEDDED.django_settings(role)
    else:
        settings = dict(dj_database_url.parse(url or DATABASE_URL or ""))
    settings["CONN_MAX_AGE"] = 0
    settings["CONN_HEALTH_CHECKS"] = False
    settings["DISABLE_SERVER_SIDE_CURSORS"] = True  # a transaction-mode pooler loses them
    settings["ATOMIC_REQUESTS"] = False
    options = settings.setdefault("OPTIONS", {})
    options["prepare_threshold"] = 2 if PREPARES else None
    if PROCESS == "web" and role == "keepsake_app":
        options["pool"] = {"min_size": 1, "max_size": 16, "timeout": 10, "max_idle": 120}
    return settings


DATABASES = {
    "default": _database(DATABASE_URL, "keepsake_app"),
    "owner": _database(DATABASE_OWNER_URL, "keepsake_owner"),
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- secrets ------------------------------------------------------------------------------------
_SECRET = env.secret(
    "SECRET_KEY", at_least=32, expected="at least 32 characters", shown="made under KEEPSAKE_HOME"
)
SECRET_KEY = _SECRET or made_once(KEEPSAKE_HOME, "secret-key")
_MASTER = env.secret(
    "MASTER_KEY", at_least=32, expected="at least 32 characters", shown="made under KEEPSAKE_HOME"
)
MASTER_KEY = _MASTER or made_once(KEEPSAKE_HOME, "master-key")
_CRON = env.secret(
    "CRON_SECRET",
    at_least=16,
    expected="at least 16 characters",
    shown="made under KEEPSAKE_HOME; in production none, and the cron endpoints answer 401",
)
CRON_SECRET: str | None = _CRON or (None if PRODUCTION else made_once(KEEPSAKE_HOME, "cron-secret"))

# --- language model and embeddings --------------------------------------------------------------
OPENAI_API_KEY = env.secret("OPENAI_API_KEY", expected="a key", shown="none: everything is offline")
OPENAI_BASE_URL = env.address(
    "OPENAI_BASE_URL", None, schemes=["https", "http"], shown="OpenAI's own"
)
LANGUAGE_MODEL = env.text(
    "LANGUAGE_MODEL",
    "gpt-4o-mini" if OPENAI_API_KEY else "offline",
    expected="a model's name",
    shown="gpt-4o-mini; offline without a key",
)
EMBEDDING_MODEL = env.text(
    "EMBEDDING_MODEL",
    "text-embedding-3-small" if OPENAI_API_KEY else "wordllama-256",
    expected="a model's name, or model@dimensions",
    shown="text-embedding-3-small; wordllama-256 without a key",
)

# --- memory -------------------------------------------------------------------------------------
OBSERVE_COOLDOWN = env.duration("OBSERVE_COOLDOWN", "2h")
RECALL_TIMEOUT = env.duration("RECALL_TIMEOUT", "5s")
RECALL_K = env.whole("RECALL_K", 5, low=1, high=100)
RECALL_TOKENS = env.whole("RECALL_TOKENS", 2000, low=100, high=100_000)
OMNIPRESENT_TOKENS = env.whole("OMNIPRESENT_TOKENS", 500, low=0, high=100_000)
TOOL_ROUNDS = env.whole("TOOL_ROUNDS", 5, low=1, high=20)
PROFILE_CHARACTERS = env.whole("PROFILE_CHARACTERS", 8000, low=0, high=100_000)
NEIGHBOURS = env.pair("NEIGHBOURS", (5, 10))
RECONCILE_BATCH = env.whole("RECONCILE_BATCH", 50, low=1, high=1000)
# How long backups are kept, so that the receipt of an erase can say from which day on; 0: unknown.
BACKUP_DAYS = env.whole("BACKUP_DAYS", 0, low=0, high=36_500)
RUNS_DAYS = env.whole("RUNS_DAYS", 30, low=1, high=36_500)

# --- public chat --------------------------------------------------------------------------------
CHAT_LIMIT_VISITOR = env.whole("CHAT_LIMIT_VISITOR", 12, low=1, high=1_000_000)
CHAT_LIMIT_ADDRESS = env.whole("CHAT_LIMIT_ADDRESS", 30, low=1, high=1_000_000)
CHAT_LIMIT_AGENT = env.whole("CHAT_LIMIT_AGENT", 300, low=1, high=1_000_000)
SHARING_LIMIT = env.whole("SHARING_LIMIT", 6_000, low=1, high=1_000_000)
OWN_LIMIT_VISITOR = env.whole("OWN_LIMIT_VISITOR", 60, low=1, high=1_000_000)
OWN_LIMIT_ADDRESS = env.whole("OWN_LIMIT_ADDRESS", 300, low=1, high=1_000_000)
CHAT_LIMIT_WINDOW = env.duration("CHAT_LIMIT_WINDOW", "60s")

# --- webhooks -----------------------------------------------------------------------------------
# For development and tests: targets on this machine and in its network, on any port.
WEBHOOK_ALLOW_PRIVATE = env.switch("WEBHOOK_ALLOW_PRIVATE", False)

# --- cache: only what several processes share; nothing is kept in one process -------------------
CACHE_URL = env.address("CACHE_URL", None, schemes=["redis", "rediss"], shown="Postgres")
CACHES: dict[str, Any] = {
    "default": (
        {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": CACHE_URL}
        if CACHE_URL
        else {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}
    )
}

# --- Celery: it only wakes; the rows in Postgres are the work -----------------------------------
CELERY_BROKER_URL = env.address(
    "CELERY_BROKER_URL",
    "filesystem://localhost//",
    schemes=["filesystem", "redis", "rediss", "amqp", "amqps"],
    shown="files under KEEPSAKE_HOME",
    bare=["filesystem"],
)
BROKER_FOLDER = KEEPSAKE_HOME / "broker"
CELERY_BROKER_CONNECTION_TIMEOUT = 0.3
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# Asked once, without waiting: whoever wakes a stage must not wait for a broker that is away.
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = {
    "max_retries": 0,
    "interval_start": 0,
    "interval_step": 0,
    "interval_max": 0,
}
if CELERY_BROKER_URL.startswith("filesystem"):
    CELERY_BROKER_TRANSPORT_OPTIONS |= {
        "data_folder_in": str(BROKER_FOLDER / "messages"),
        "data_folder_out": str(BROKER_FOLDER / "messages"),
        "control_folder": str(BROKER_FOLDER / "control"),
        "store_processed": False,
        "polling_interval": 0.2,  # seconds between two looks into the folder
    }
elif CELERY_BROKER_URL.startswith("redis"):
    CELERY_BROKER_TRANSPORT_OPTIONS |= {"socket_connect_timeout": 0.3, "retry_on_timeout": False}
CELERY_TASK_PUBLISH_RETRY = False
CELERY_TASK_IGNORE_RESULT = True
CELERY_RESULT_BACKEND = None
CELERY_TASK_DEFAULT_QUEUE = "default"
QUEUES = ["default", "ai_agent"]
CELERY_TASK_ROUTES = {"memory.extract": {"queue": "ai_agent"}}
CELERY_TASK_CREATE_MISSING_QUEUES = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULER = "django_celery_beat.schedulers:DatabaseScheduler"
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
DJANGO_CELERY_BEAT_TZ_AWARE = True

# --- Django -------------------------------------------------------------------------------------
INSTALLED_APPS = [
    "config",
    "memory",
    "agents",
    "tenants",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_celery_beat",
    "django_htmx",
    "csp",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "tenants.middleware.TenantMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "csp.context_processors.nonce",
                "tenants.menu.menu",
            ]
        },
    }
]
USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
LOGIN_URL = "sign-in"  # a name, so that it is found under the tenant's prefix
SESSION_ENGINE = "django.contrib.sessions.backends.db"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("MinimumLengthValidator", "CommonPasswordValidator", "NumericPasswordValidator")
]
REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
    "EXCEPTION_HANDLER": "tenants.answers.rest_error",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
}
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "Keepsake",
    "OAS_VERSION": "3.1.0",
    "POSTPROCESSING_HOOKS": ["config.openapi.complete"],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "SWAGGER_UI_SETTINGS": {"deepLinking": True, "docExpansion": "none"},
}

# --- files --------------------------------------------------------------------------------------
STATIC_URL = "/static/"  # absolute: the tenant's prefix must not move it
STATIC_ROOT = KEEPSAKE_HOME / "static"
STATIC_ROOT.mkdir(parents=True, exist_ok=True)
STATICFILES_DIRS = [folder for folder in [BASE_DIR / "static"] if folder.is_dir()]
# Outside production the files are served from where they lie; in production from
# `collectstatic`, compressed and named by content.
WHITENOISE_USE_FINDERS = not PRODUCTION
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": (
            "whitenoise.storage.CompressedManifestStaticFilesStorage"
            if PRODUCTION
            else "django.contrib.staticfiles.storage.StaticFilesStorage"
        )
    },
}

# --- what a browser may do ----------------------------------------------------------------------
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF, NONCE],
        "style-src": [SELF, NONCE],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
HTTPS = env.switch("HTTPS", PRODUCTION, shown="on in production")
SECURE_SSL_REDIRECT = HTTPS
SESSION_COOKIE_SECURE = HTTPS
CSRF_COOKIE_SECURE = HTTPS
# Copies side by side on one machine share its cookies, which know no port: signing in to one
# would sign out of the other. Only for the embedded database: behind a balancer ports differ.
_copy = f"_{PORT}" if EMBEDDED is not None and PORT != 8000 else ""
SESSION_COOKIE_NAME = f"sessionid{_copy}"
CSRF_COOKIE_NAME = f"csrftoken{_copy}"
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
SECURE_HSTS_PRELOAD = HTTPS
if TRUSTED_PROXIES:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

# --- logs: ids, never a message's text or a secret ----------------------------------------------
LOG_LEVEL = env.choice("LOG_LEVEL", "INFO", among=["DEBUG", "INFO", "WARNING", "ERROR"])
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "()": "config.logs.WordlessFormatter",
            "format": "{asctime} {levelname} {name} {message}",
            "style": "{",
        }
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
    "loggers": {
        "django": {"handlers": [], "propagate": True, "level": LOG_LEVEL},
        "django.server": {"handlers": [], "propagate": True},
        # At DEBUG these print statements and bodies, which hold people's text.
        "django.db.backends": {"level": "INFO"},
        "openai": {"level": "WARNING"},
        "httpx": {"level": "WARNING"},
        "httpx2": {"level": "WARNING"},  # the same, for newer versions of openai
        "httpcore": {"level": "WARNING"},
        "httpcore2": {"level": "WARNING"},
        "mcp": {"level": "WARNING"},  # at INFO a line or two at every request, at DEBUG messages
    },
}
