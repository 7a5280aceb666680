import type { OutboundMessage } from '../ports/outbound-store.port.js';
import type { Traces } from '../ports/traces.port.js';
import type { DecodedEntry } from '../publish/decoded-entry.js';
import { jobTrace } from '../publish/job-trace.js';
import { jobAttributes } from './attributes.js';

/** What has gone out for jobs that are traced, each within the trace of its job. What was skipped or parked did not. */
export function tellMessages(traces: Traces, messages: readonly OutboundMessage[], entries: readonly DecodedEntry[], since: number): void {
  const known = new Map(entries.map((decoded) => [decoded.entry.position.number, decoded]));
  for (const { kind, outcome, position, deliverTo } of messages) {
    const decoded = outcome === 'sent' ? known.get(position.number) : undefined;
    const parent = decoded === undefined ? null : jobTrace(decoded.state);
    if (decoded === undefined || parent === null) continue;
    const attributes = {
      ...jobAttributes(decoded.entry.ref),
      ...{ 'messaging.operation.type': 'send', 'messaging.operation.name': 'send', 'jobwarden.message': kind },
      ...(typeof deliverTo === 'string' && { 'messaging.destination.name': deliverTo }),
    };
    traces.tell({ name: `send ${kind}`, kind: 'producer', parent, attributes }, since);
  }
}
