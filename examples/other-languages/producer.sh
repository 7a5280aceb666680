#!/usr/bin/env bash
# A producer in kcat: a job is queued and done, over Kafka. Usage: producer.sh [queue] [job id]
set -euo pipefail
brokers=${KAFKA_BROKERS:-localhost:9092}
topic=${TOPIC_PREFIX:-jobwarden.}events
queue=${1:-emails}
job=${2:-kcat-$(date +%s)}

# Structured: the event as JSON. The key keeps a job together.
echo "{\"specversion\": \"1.0\", \"id\": \"1\", \"source\": \"kcat\", \"subject\": \"$job\", \"type\": \"jobwarden.job.queued.v1\", \"data\": {\"queue\": \"$queue\"}}" |
  kcat -P -b "$brokers" -t "$topic" -k "default/$queue/$job" -X acks=all -H content-type=application/cloudevents+json

# Binary: the attributes in headers, the data as the value.
echo "{\"queue\": \"$queue\", \"attempt\": 1, \"worker\": {\"id\": \"kcat\"}}" |
  kcat -P -b "$brokers" -t "$topic" -k "default/$queue/$job" -X acks=all -H content-type=application/json \
    -H ce_specversion=1.0 -H ce_id=2 -H ce_source=kcat -H "ce_subject=$job" -H ce_type=jobwarden.job.succeeded.v1
echo "$job is told"
