// A fault of kafkajs 2.2.4, mended from outside because there is no later version and no option against it.
//
// After every answer a connection's queue arms a timer for the end of the broker's throttling. Without throttling that
// is `-1 - now`: Node makes a millisecond of it (Node 24 also prints TimeoutNegativeWarning), and the timer arms the next
// one. So every connection that was used once wakes the process a thousand times a second for as long as it is open.
//
// A timer is needed only for requests that wait:
//
//   held back by throttling            at its end
//   held back by too many in flight    an answer or a time-out sends the next; as in kafkajs, a look every 10 ms besides
//   none                               never: a request that has to wait later arms the timer when it is queued
import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';

const shortestMs = 10;

/** Replaces the fault in every connection of this process. Idempotent; call it before the first client is made. */
export function mendRequestQueue(): void {
  RequestQueue.prototype.scheduleCheckPendingRequests = schedule;
}

function schedule(this: RequestQueue): void {
  if (this.throttleCheckTimeoutId !== null || this.pending.length === 0) return;
  const check = () => {
    this.throttleCheckTimeoutId = null;
    this.checkPendingRequests();
  };
  this.throttleCheckTimeoutId = setTimeout(check, Math.max(this.throttledUntil - Date.now(), shortestMs));
}
