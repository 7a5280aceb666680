"""A worker in Python, with the package `cloudevents` and nothing else: pip install cloudevents

Usage: over_http.py [queue] [job id]
"""
import json
import os
import sys
import time
import urllib.request

from cloudevents.core.bindings.http import to_binary, to_structured
from cloudevents.core.formats.json import JSONFormat
from cloudevents.core.v1.event import CloudEvent

URL = os.environ.get("JOBWARDEN_URL", "http://127.0.0.1:7411")
queue = sys.argv[1] if len(sys.argv) > 1 else "emails"
job = sys.argv[2] if len(sys.argv) > 2 else f"python-{int(time.time())}"


def tell(fact: str, encode, **data) -> None:
    """Sends one event, and shows what became of it. Send what was not answered again, as it is: its id tells."""
    event = CloudEvent(
        {"type": f"jobwarden.job.{fact}.v1", "source": "python", "subject": job, "datacontenttype": "application/json"},
        {"queue": queue, **data},
    )
    message = encode(event, JSONFormat())
    request = urllib.request.Request(f"{URL}/v1/events", data=message.body, headers=message.headers, method="POST")
    with urllib.request.urlopen(request, timeout=10) as response:
        [result] = json.load(response)["results"]
    print(fact, result["outcome"], result.get("state", ""))


worker = {"id": "python-1"}
tell("queued", to_structured, payload={"to": "ada@example.com"})
tell("started", to_binary, attempt=1, worker=worker, leaseMs=30_000)
tell("heartbeat", to_structured, attempt=1, worker=worker, progress={"percent": 50})
tell("succeeded", to_binary, attempt=1, worker=worker)
