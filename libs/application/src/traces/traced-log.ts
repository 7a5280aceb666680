import { readTrace, type TraceContext } from '#libs/contracts';
import { isByHand, type Decision } from '#libs/domain';
import { LANE_HTTP, LANE_INSIDE, type JobWrite, type Lane, type LockedBatch, type LogStore, type WriteRequest, type WriteSet } from '../ports/log-store.port.js';
import type { Traces } from '../ports/traces.port.js';
import { jobTrace } from '../publish/job-trace.js';
import { batchAttributes, jobAttributes } from './attributes.js';
import { linksTo } from './links.js';

/**
 * Tells what was appended, once it is committed: one span for the facts of a transaction, linked to their traces, and one for
 * each decision, within the trace of its job. Put around the log only where spans are collected.
 */
export class TracedLog implements LogStore {
  constructor(
    private readonly log: LogStore,
    private readonly traces: Traces,
  ) {}

  async transact<T>(request: WriteRequest, work: (locked: LockedBatch) => WriteSet<T>): Promise<T> {
    const since = this.traces.now();
    let writes: readonly JobWrite[] = [];
    const result = await this.log.transact(request, (locked) => {
      const set = work(locked);
      writes = set.writes;
      return set;
    });
    this.facts(writes, request.lane, since);
    for (const write of writes) this.decisions(write, since);
    return result;
  }

  private facts(writes: readonly JobWrite[], lane: Lane, since: number): void {
    const told = writes.flatMap(({ job, events }) => events.flatMap(({ event }) => (event.kind === 'fact' ? [{ ref: job.ref, fact: event.fact }] : [])));
    if (told.length === 0) return;
    const links = linksTo(contextsOf(told.map(({ fact }) => fact)));
    if (links.length === 0) return;
    const attributes = {
      ...batchAttributes(told.map(({ ref }) => ref)),
      'messaging.operation.type': 'receive',
      'messaging.operation.name': 'ingest',
      'jobwarden.lane': lane === LANE_HTTP ? 'http' : lane === LANE_INSIDE ? 'inside' : 'kafka',
    };
    this.traces.tell({ name: 'ingest', kind: 'consumer', parent: null, links, attributes }, since);
  }

  private decisions({ job, events }: JobWrite, since: number): void {
    const parent = jobTrace(job.state);
    if (parent === null) return;
    for (const { event } of events) {
      if (event.kind !== 'decision') continue;
      const attributes = { ...jobAttributes(job.ref), ...decisionAttributes(event.decision) };
      this.traces.tell({ name: `decide ${event.decision.kind}`, kind: 'internal', parent, attributes }, since);
    }
  }
}

function* contextsOf(facts: Iterable<{ readonly traceparent?: string; readonly tracestate?: string }>): Iterable<TraceContext | null> {
  for (const { traceparent, tracestate } of facts) if (traceparent !== undefined) yield readTrace(traceparent, tracestate);
}

/** What a person gives as a reason is his own words. */
function decisionAttributes({ kind, n, attempt, reason, by }: Decision): Readonly<Record<string, string | number>> {
  const own = by === 'jobwarden' && !isByHand(kind);
  return { 'jobwarden.decision': kind, 'jobwarden.n': n, 'jobwarden.attempt': attempt, ...(own && { 'jobwarden.reason': reason }) };
}
