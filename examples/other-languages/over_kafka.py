"""The same over Kafka: pip install cloudevents kafka-python

Usage: over_kafka.py [queue] [job id]
"""
import os
import sys
import time

from cloudevents.core.bindings.kafka import to_binary, to_structured
from cloudevents.core.formats.json import JSONFormat
from cloudevents.core.v1.event import CloudEvent
from kafka import KafkaProducer

queue = sys.argv[1] if len(sys.argv) > 1 else "emails"
job = sys.argv[2] if len(sys.argv) > 2 else f"python-{int(time.time())}"
topic = os.environ.get("TOPIC_PREFIX", "jobwarden.") + "events"
producer = KafkaProducer(bootstrap_servers=os.environ.get("KAFKA_BROKERS", "localhost:9092").split(","), acks="all")


def tell(fact: str, encode, **data) -> None:
    event = CloudEvent(
        {"type": f"jobwarden.job.{fact}.v1", "source": "python", "subject": job, "datacontenttype": "application/json"},
        {"queue": queue, **data},
    )
    # The key keeps a job together.
    message = encode(event, JSONFormat(), lambda _: f"default/{queue}/{job}")
    key = message.key.encode() if isinstance(message.key, str) else message.key
    producer.send(topic, key=key, value=message.value, headers=list(message.headers.items())).get(timeout=10)
    print(fact, "acknowledged")


worker = {"id": "python-1"}
tell("queued", to_structured, payload={"to": "ada@example.com"})
tell("started", to_binary, attempt=1, worker=worker, leaseMs=30_000)
tell("succeeded", to_structured, attempt=1, worker=worker)
producer.close()
