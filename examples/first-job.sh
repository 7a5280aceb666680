#!/usr/bin/env bash
# The README's first example: a job gets stuck and comes back. Needs `npm start` in another terminal, and curl.
set -euo pipefail

jw=http://127.0.0.1:7411
job=welcome-mail-$(date +%s)

# A job is queued. A worker starts it, and is never heard of again.
curl -sS $jw/v1/events -H 'content-type: application/json' -w '\n' -d @- <<EVENTS
[{"specversion": "1.0", "id": "1", "source": "shop", "subject": "$job",
  "type": "jobwarden.job.queued.v1", "data": {"queue": "playground", "payload": {"to": "ada@example.com"}}},
 {"specversion": "1.0", "id": "1", "source": "worker-1", "subject": "$job",
  "type": "jobwarden.job.started.v1", "data": {"queue": "playground", "worker": {"id": "worker-1"}}}]
EVENTS

# What Jobwarden tells the queue. Watch for twelve seconds: after eight the job comes back.
curl -sN --max-time 12 "$jw/v1/streams/commands?queue=playground" || true

# Another worker runs the second attempt.
curl -sS $jw/v1/events -H 'content-type: application/json' -w '\n' -d @- <<EVENTS
[{"specversion": "1.0", "id": "1", "source": "worker-2", "subject": "$job",
  "type": "jobwarden.job.started.v1", "data": {"queue": "playground", "attempt": 2, "worker": {"id": "worker-2"}}},
 {"specversion": "1.0", "id": "2", "source": "worker-2", "subject": "$job",
  "type": "jobwarden.job.succeeded.v1", "data": {"queue": "playground", "attempt": 2, "worker": {"id": "worker-2"}}}]
EVENTS

# The whole story: both attempts, both workers, and why each decision was made.
curl -sS "$jw/v1/queues/playground/jobs/$job" -w '\n'
