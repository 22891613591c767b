"""Every limit of the agent by name; what happens at each is tested where it is used."""

from __future__ import annotations

from typing import Final

LINE_BYTES: Final = 32 * 1024 * 1024
"""One input line; a longer one is dropped up to its newline and answered once."""
JSON_DEPTH: Final = 64
JSON_DIGITS: Final = 32
"""Digits of an integer."""
TEXT_BYTES: Final = 1024 * 1024
IMAGES: Final = 10
IMAGE_BYTES: Final = 5 * 1024 * 1024
IMAGES_BYTES: Final = 20 * 1024 * 1024
REQUEST_ID_CHARS: Final = 128
REASON_CHARS: Final = 500

OUTPUT_BYTES: Final = 50 * 1024
"""Of one tool result as the model gets it; the rest goes to a file."""
OUTPUT_LINES: Final = 2_000
PROGRESS_BYTES: Final = 8 * 1024
PROGRESS_PER_SECOND: Final = 10
INPUT_VALUE_CHARS: Final = 20_000
"""Of one value of a tool's input in `tool_started`."""
CARD_CHARS: Final = 4_000
TITLE_CHARS: Final = 200

STEERING: Final = 20
PROMPTS_OPEN: Final = 32
PARALLEL_TOOLS: Final = 8
BACKGROUND_JOBS: Final = 8
MODEL_CALLS: Final = 200
"""In one turn; configurable."""
REPEATS: Final = 3
"""The same tool with the same input so often in a row asks first; configurable."""
PROVIDER_TRIES: Final = 4
RETRY_WAITS_S: Final = (2.0, 4.0, 8.0)
RETRY_JITTER: Final = 0.2
RETRY_AFTER_S: Final = 60.0
"""The longest wait that a provider may ask for; a longer one ends the turn."""
CANCEL_S: Final = 5.0
CLOSE_S: Final = 5.0
TERM_S: Final = 2.0
"""Between SIGTERM and SIGKILL of a tool's process group."""
CONNECT_S: Final = 15.0
READ_S: Final = 120.0
"""Of silence on a provider's stream."""

QUESTIONS: Final = 4
OPTIONS: Final = 8
ANSWERS: Final = 20
ANSWER_CHARS: Final = 4_000
TODOS: Final = 50

OUTBOX_FRAMES: Final = 256
"""Waiting frames from which on adjacent deltas of one block are merged."""
LOADED_BYTES: Final = 8 * 1024 * 1024
"""Of the messages in `session_loaded`; the oldest are dropped beyond it."""
SESSIONS_PAGE: Final = 100
SESSIONS_PAGE_MAX: Final = 500
ID_PREFIX_CHARS: Final = 8
"""The shortest beginning of a session id that `--resume` accepts."""

COMPACT_KEEP_TOKENS: Final = 20_000
COMPACT_RESERVE_TOKENS: Final = 16_384
COMPACT_MIN_FREED: Final = 0.10
COMPACT_AUTO_PER_TURN: Final = 2
BYTES_PER_TOKEN: Final = 3.6
