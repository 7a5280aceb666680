#!/usr/bin/env bash
# A worker in curl: a job is queued, claimed, beaten for, and done. Usage: worker.sh [queue] [job id]
set -euo pipefail
jw=${JOBWARDEN_URL:-http://127.0.0.1:7411}
queue=${1:-emails}
job=${2:-curl-$(date +%s)}

# tell <fact> <data besides the queue>: answers what became of it
tell() {
  curl -sS --fail-with-body "$jw/v1/events" -H 'content-type: application/cloudevents+json' -w '\n' -d @- <<EVENT
{"specversion": "1.0", "id": "$(cat /proc/sys/kernel/random/uuid)", "source": "curl", "subject": "$job",
 "type": "jobwarden.job.$1.v1", "data": {"queue": "$queue"${2:+, $2}}}
EVENT
}

tell queued '"payload": {"to": "ada@example.com"}'
claim=$(curl -sS --fail-with-body "$jw/v1/queues/$queue/jobs/$job/claims" -H 'content-type: application/json' \
  -d "{\"claimId\": \"$(cat /proc/sys/kernel/random/uuid)\", \"worker\": {\"id\": \"curl\"}, \"leaseMs\": 30000}")
token=$(sed -n 's/.*"token":\([0-9]*\).*/\1/p' <<<"$claim")
# Every event of a claimed attempt bears its token; the answer to a beat says whether to go on.
tell heartbeat "\"attempt\": 1, \"token\": $token, \"worker\": {\"id\": \"curl\"}, \"progress\": {\"percent\": 50}"
tell succeeded "\"attempt\": 1, \"token\": $token, \"worker\": {\"id\": \"curl\"}"
curl -sS "$jw/v1/queues/$queue/jobs/$job" | grep -o '"status":"[a-z-]*"' | head -1
