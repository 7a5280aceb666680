import { describe, expect, it } from 'vitest';
import type { Decision, Fact, JobEvent } from '#libs/domain';
import { entryOf, decision, queued, REF } from '../publish/publish.fixture.js';
import { LANE_HTTP, type JobWrite, type LogStore, type WriteRequest } from '../ports/log-store.port.js';
import type { OutboundMessage } from '../ports/outbound-store.port.js';
import type { ToldSpan, Traces } from '../ports/traces.port.js';
import { MOST_LINKS } from '../ports/traces.port.js';
import { linksTo } from './links.js';
import { tellLooks } from './told-looks.js';
import { tellMessages } from './told-messages.js';
import { tellStep } from './told-step.js';
import { TracedLog } from './traced-log.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const span = (n: number, flags = '01') => `00-${TRACE}-${(n + 1).toString(16).padStart(16, '0')}-${flags}`;

function recording() {
  const told: ToldSpan[] = [];
  const traces: Traces = { now: () => 7, tell: (one) => void told.push(one) };
  return { told, traces };
}

/** One write of these events, to a job that was queued so. */
function write(events: readonly JobEvent[], traceparent = span(0)): JobWrite {
  const { state } = entryOf(queued({ traceparent }));
  return { job: { ref: REF, state }, events: events.map((event) => ({ event })) } as unknown as JobWrite;
}

const started = (n: number, traceparent?: string): JobEvent => ({
  kind: 'fact',
  fact: { type: 'started', source: 's', id: String(n), laneMs: 1, attempt: 1, worker: { id: 'w' }, ...(traceparent !== undefined && { traceparent }) } as Fact,
});

async function appended(writes: readonly JobWrite[], fails = false): Promise<readonly ToldSpan[]> {
  const { told, traces } = recording();
  const log: LogStore = {
    transact: (_, work) => {
      const { result } = work({} as never);
      return fails ? Promise.reject(new Error('rolled back')) : Promise.resolve(result(() => null));
    },
  };
  const done = new TracedLog(log, traces).transact({ lane: LANE_HTTP } as WriteRequest, () => ({ writes, result: () => null }));
  await done.catch(() => undefined);
  return told;
}

describe('what is told of an append', () => {
  it('is one span for all facts, linked to each span that they name, once and within a bound', async () => {
    const facts = Array.from({ length: 300 }, (_, n) => started(n, span(n)));
    const [ingest, ...others] = await appended([write(facts), write([started(300, span(0))])]);
    expect(others).toEqual([]);
    expect(ingest).toMatchObject({ name: 'ingest', kind: 'consumer', parent: null });
    expect(ingest?.attributes).toMatchObject({ 'messaging.batch.message_count': 301, 'messaging.destination.name': REF.queue, 'jobwarden.lane': 'http' });
    expect(ingest?.links).toHaveLength(MOST_LINKS);
  });

  it('is nothing where no trace of the batch is kept, and nothing of what was rolled back', async () => {
    expect(await appended([write([started(1), started(2, span(1, '00')), started(3, 'nonsense')])])).toEqual([]);
    const both = write([started(1, span(1)), decision(1, { kind: 'requeued', attempt: 2, reason: 'lost', by: 'jobwarden' })]);
    expect(await appended([both])).toHaveLength(2);
    expect(await appended([both], true)).toEqual([]);
  });

  it('is a span within the job’s trace for each decision, without what a person wrote', async () => {
    const drafts: Omit<Decision, 'n' | 'laneMs'>[] = [
      { kind: 'restart-requested', attempt: 1, reason: 'lost', by: 'jobwarden' },
      { kind: 'cancelled', attempt: 1, reason: 'her card is 4111…', by: 'ada' },
    ];
    const told = await appended([write(drafts.map((draft, i) => decision(i + 1, draft)))]);
    expect(told).toMatchObject([
      { name: 'decide restart-requested', parent: { traceId: TRACE, sampled: true }, attributes: { 'jobwarden.reason': 'lost', 'jobwarden.n': 1, 'messaging.message.id': REF.id } },
      { name: 'decide cancelled' },
    ]);
    expect(JSON.stringify(told)).not.toMatch(/4111|ada/u);
    expect(await appended([write([decision(1, { kind: 'requeued', attempt: 2, reason: 'lost', by: 'jobwarden' })], 'nonsense')])).toEqual([]);
  });
});

describe('what is told of messages', () => {
  const entry = entryOf(queued({ traceparent: span(0) }), decision(1, { kind: 'requeued', attempt: 2, reason: 'lost', by: 'jobwarden' }));
  const message = (outcome: OutboundMessage['outcome'], number = 42) => ({ kind: 'enqueue', outcome, position: { shard: 3, number } }) as OutboundMessage;

  it('is one span for each that has gone out, within the job’s trace', () => {
    const { told, traces } = recording();
    tellMessages(traces, [message('sent'), message('skipped'), message('parked'), message('sent', 43)], [entry], 7);
    expect(told).toMatchObject([{ name: 'send enqueue', kind: 'producer', parent: { traceId: TRACE }, attributes: { 'messaging.operation.type': 'send' } }]);
  });
});

it('of a round of looks one span, linked to the jobs; none where nobody traces them', () => {
  const { told, traces } = recording();
  const run = { laneMs: 1, trigger: 'schedule', looked: 2, decided: 1, wouldHave: 0, held: 1, rows: [] } as const;
  tellLooks(traces, [{ write: write([]), row: null }, { write: write([], 'nonsense'), row: null }], run, 7);
  tellLooks(traces, [{ write: write([], span(1, '00')), row: null }], run, 7);
  expect(told).toMatchObject([{ name: 'look', parent: null, links: [{ traceId: TRACE }], attributes: { 'jobwarden.looked': 2, 'jobwarden.decided': 1, 'jobwarden.held': 1 } }]);
});

it('of a run’s step one span with the incident’s id, and without the words of its reason', () => {
  const { told, traces } = recording();
  const run = { incidentId: '12', standing: { n: 4 }, queues: [{ namespace: 'default', queue: 'mail' }] } as unknown as Parameters<typeof tellStep>[1];
  tellStep(traces, run, { type: 'isolated', by: 'ada', reason: 'her words' }, 7);
  expect(told).toMatchObject([{ name: 'incident isolated', parent: null, attributes: { 'jobwarden.incident.id': '12', 'jobwarden.incident.n': 5, 'messaging.destination.name': 'mail' } }]);
  expect(JSON.stringify(told)).not.toMatch(/ada|words/u);
});

it('links are of what is kept, each once', () => {
  const context = { traceId: TRACE, spanId: 'b7ad6b7169203331', sampled: true, traceparent: '' };
  expect(linksTo([null, context, { ...context, sampled: false, spanId: 'c7ad6b7169203331' }, context])).toEqual([context]);
});
