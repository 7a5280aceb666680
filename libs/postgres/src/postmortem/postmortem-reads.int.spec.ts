import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Incidents, LANE_HTTP, type MessageSink } from '#libs/application';
import type { PostmortemFacts } from '#libs/domain';
import { useTestDatabase } from '#libs/testing';
import { PgIncidentStore } from '../incidents/pg-incident-store.js';
import { QueueIds } from '../log/queue-ids.js';
import { pgReadModels } from '../read/read-models.js';
import { PublishingWorld, Replica } from '../publish/publishing.fixture.js';
import { PgPostmortemReads } from './pg-postmortem-reads.js';
import { ranAgain } from './ran-again.js';

/** A whole minute. */
const T0 = 1_800_000_000_000;
const MINUTE = 60_000;
const BEGAN = T0 + 12 * MINUTE;
const OPENED = BEGAN + 60_000;
const RESOLVED = OPENED + 5 * MINUTE;
/** No further sink takes an invalidation of this job. */
const REFUSES: MessageSink = { name: 'refuses', faultOf: ({ kind, orderKey }) => (kind === 'invalidation' && orderKey.endsWith('/held') ? 'too large' : null), send: () => Promise.resolve() };
const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const keys = (key: string) => ({ invalidates: { keys: [key] } });

describe('what the tables say of the time of an incident', () => {
  const database = useTestDatabase();
  let world: PublishingWorld;
  let incidents: Incidents;
  let queueId: number;
  let id: string;
  let facts: PostmortemFacts;

  const factsOf = async (incidentId: string): Promise<PostmortemFacts> => {
    const one = await pgReadModels(world.database).incidents.one(incidentId);
    if (one === null) throw new Error(`no incident ${incidentId}`);
    return await new PgPostmortemReads(world.database).facts({ id: one.id, kind: one.kind, subject: one.subject, queue: one.queue, steps: one.steps });
  };
  const open = async (kind: Parameters<Incidents['open']>[0], about: Parameters<Incidents['open']>[1]): Promise<string> => (await incidents.open(kind, about, { reason: 'because', evidence: {} })).incident.id;
  let jobs = 0;
  const attempts = async (revision: string, many: number, ended: object, queue = 'q'): Promise<void> => {
    for (let i = 0; i < many; i += 1) {
      const job = `job-${String((jobs += 1))}`;
      const of = { job, queue, attempt: 1, worker: { id: `w-${revision}`, revision } };
      await world.send({ type: 'queued', job, queue }, { type: 'started', ...of }, { type: 'succeeded', ...of, ...ended });
    }
  };
  const sample = async (minute: number, waiting: number | null): Promise<void> => {
    const rows = [[0, 0], ...(waiting === null ? [] : [[queueId, waiting]])];
    for (const [queue, waits] of rows) await world.database.query('INSERT INTO jobwarden.queue_samples VALUES ($1, $2, $3, 0, 0, 0, NULL)', [minute, queue, waits]);
  };
  const FAILED = { type: 'failed', retryable: false, error: { class: 'TypeError', message: 'no voucher' } };

  beforeAll(async () => {
    world = new PublishingWorld(database.url);
    await world.startClock(T0);
    incidents = new Incidents(new PgIncidentStore(world.database, new QueueIds(world.database)));
    await world.requeued('early', keys('k0'));
    // Of both releases, so that run times are kept by time; the quiet time is the ten minutes before it began.
    await world.at(T0 + 5 * MINUTE);
    await attempts('v1', 10, { durationMs: 100 });
    await attempts('v2', 10, { durationMs: 100 });
    await open('blackout', { namespace: 'default', queue: 'q' }).then((before) => incidents.resolveById(before, { reason: 'over' }));
    await world.at(BEGAN);
    await attempts('v2', 20, FAILED);
    await attempts('v1', 9, { durationMs: 200 });
    await attempts('v1', 1, { durationMs: 30_000 });
    await attempts('v1', 3, { durationMs: 5 }, 'elsewhere');
    await world.at(BEGAN + 30_000);
    await attempts('v2', 5, FAILED);
    await world.at(OPENED);
    id = await open('saturation', { namespace: 'default', queue: 'q' });
    await open('blackout', { namespace: 'default', queue: 'q' });
    await open('lane_out_of_range', 'kafka/events/1');
    await open('wrong_act', { namespace: 'default', queue: 'elsewhere' });
    [{ queue_id: queueId }] = (await world.database.query<{ queue_id: number }>(`SELECT queue_id FROM jobwarden.queues WHERE queue = 'q'`)) as [{ queue_id: number }];
    await world.at(OPENED + MINUTE);
    for (const job of ['one', 'two', 'held']) await world.requeued(job, keys(job));
    await world.requeued('bare');
    await world.requeued('large', { payload: 'x'.repeat(200), ...keys('k') });
    await new Replica(world, { limits: { payloadLimitBytes: 100 }, sinks: [REFUSES] }).publish();
    await world.endLeases();
    const traced = (type: string, job: string, data: object) => ({ specversion: '1.0', id: `${type}-${job}`, source: 't', subject: job, traceparent: TRACE, type: `jobwarden.job.${type}.v1`, data: { queue: 'q', attempt: 1, ...data } });
    const worker = { id: 'w9' };
    await world.ingestUseCase.ingest([traced('queued', 'traced', {}), traced('started', 'traced', { worker, leaseMs: 10_000 }), traced('queued', 'done', {}), traced('started', 'done', { worker }), traced('succeeded', 'done', { worker })], { lane: LANE_HTTP, origin: 'test', namespaces: null });
    for (const [minute, waiting] of [[1, 9_999], [4, 7], [11, null], [12, 40], [14, 5_900], [18, 300], [19, 9_999]] as const) await sample(T0 / MINUTE + minute, waiting);
    const figures = [{ ratio: 0.6, unprocessed: 6_120 }, { ratio: 0.7 }, { unprocessed: 12 }];
    for (const [n, of] of figures.entries()) {
      await world.database.query(`INSERT INTO jobwarden.signals (identity, source, fingerprint, starts_ms, namespace, queue, figures, seen_ms, last_ms, incident_id) VALUES ($1, 'evaluator', 'f', $2, 'default', 'q', $3, $4, $4, $5)`, [Buffer.from([n]), BEGAN + n, JSON.stringify(of), OPENED - 1_000, Number(id)]);
    }
    await world.at(RESOLVED);
    await incidents.resolveById(id, { reason: 'all work again' });
    await world.at(RESOLVED + MINUTE);
    await attempts('v2', 3, FAILED);
    facts = await factsOf(id);
  }, 60_000);
  afterAll(() => world.close());

  it('times: it began with the first stretch in which more failed than was usual, and the spans are of that', () => {
    expect(facts.beganMs).toBe(BEGAN);
    expect(facts.counts).toMatchObject({ before: { fromMs: BEGAN - 600_000, toMs: BEGAN }, during: { fromMs: BEGAN, toMs: RESOLVED + 1 } });
    expect(facts.signals).toEqual([0, 1, 2].map((n) => ({ source: 'evaluator', startsMs: BEGAN + n, seenMs: OPENED - 1_000 })));
  });

  it('counts: of its queues alone, before and during, and nothing of after', () => {
    expect([facts.counts?.before.counts, facts.counts?.during.counts]).toMatchObject([{ succeeded: 20, failed: 0 }, { succeeded: 11, failed: 25 }]);
  });

  it('run times: half and 99 of 100 of what succeeded, by the upper edge of a bucket; null where none are kept', async () => {
    const within = (ms: number) => ({ attempts: expect.any(Number) as number, p50Ms: expect.toSatisfy((p: number) => p >= ms && p <= ms * 1.2) as number });
    expect(facts.runTimes).toMatchObject({ before: { ...within(100), attempts: 10 }, during: { ...within(200), attempts: 10, p99Ms: expect.toSatisfy((p: number) => p >= 30_000 && p <= 36_000) as number } });
    const elsewhere = await factsOf(await open('saturation', { namespace: 'default', queue: 'elsewhere' }));
    expect(elsewhere.runTimes).toEqual({ before: null, during: null });
  });

  it('depth: the most that waited by the samples of each span, and by the signals; none where no sample was taken', async () => {
    expect(facts.depth).toEqual({ before: 7, during: 5_900, signalled: 6_120 });
    await world.database.query('DELETE FROM jobwarden.queue_samples WHERE minute >= $1', [BEGAN / MINUTE]);
    await world.database.query('DELETE FROM jobwarden.queue_samples WHERE queue_id <> 0', []);
    expect((await factsOf(id)).depth).toEqual({ before: 0, during: null, signalled: 6_120 });
  });

  it('what ran again: by its own acknowledged invalidation, without keys, and parked; of that time and those queues', async () => {
    expect(facts.again).toEqual({ commands: 3, invalidated: 2, withoutKeys: 1, parkedInvalidations: 1, parkedCommands: 2 });
    const [one] = await world.outbound('one');
    await world.database.query(`UPDATE jobwarden.outbound SET sent_at = sent_at + interval '1 h' WHERE shard = $1 AND number = $2 AND kind = 'invalidation'`, [one?.shard, one?.number]);
    expect((await factsOf(id)).again).toMatchObject({ commands: 3, invalidated: 1 });
    expect(await ranAgain(world.database, [[queueId + 1_000], BEGAN, RESOLVED])).toEqual({ commands: 0, invalidated: 0, withoutKeys: 0, parkedInvalidations: 0, parkedCommands: 0 });
  });

  it('what ran again is not told where more has gone out since than is looked through', async () => {
    await world.at(RESOLVED + 10 * MINUTE);
    await world.requeued('early-again', keys('k'));
    const time = [[queueId], BEGAN, RESOLVED];
    expect(await ranAgain(world.database, time, 1)).toBeNull();
    expect(await ranAgain(world.database, time, 1_000)).not.toBeNull();
  });

  it('patterns: letters of its time and queues, the largest first, with class, reason and message', async () => {
    const pattern = async (of: number, said: { class: string | null; message: string; reason: string }, letters: readonly number[]): Promise<void> => {
      const [row] = await world.database.query<{ id: number }>(
        `INSERT INTO jobwarden.dead_letter_patterns (fingerprint, queue_id, reason, class, message, frames, first_ms, last_ms, letters) VALUES ($1, $2, $3, $4, $5, '', 0, 0, 0) RETURNING pattern_id AS id`,
        [Buffer.from(`${String(of)}${said.reason}${said.message}`), of, said.reason, said.class, said.message],
      );
      for (const [n, atMs] of letters.entries()) await world.database.query(`INSERT INTO jobwarden.dead_letters (shard, number, period, pattern_id, job_key, attempt, at_ms) VALUES (0, $1, 0, $2, $3, 1, $4)`, [1_000 * (row?.id ?? 0) + n, row?.id, Buffer.from('k'), atMs]);
    };
    await pattern(queueId, { class: 'TypeError', message: 'no voucher', reason: 'failed' }, [BEGAN, OPENED, RESOLVED, RESOLVED + 1]);
    await pattern(queueId, { class: null, message: '', reason: 'lost' }, [BEGAN - 1, OPENED]);
    await pattern(queueId + 1_000, { class: 'E', message: 'of another queue', reason: 'failed' }, [OPENED]);
    expect((await factsOf(id)).deadLetters).toEqual({ letters: 4, patterns: [{ says: 'TypeError: no voucher', letters: 3 }, { says: 'lost', letters: 1 }] });
  });

  it('traces: of traced jobs that have not succeeded, and the silence since the lease ended', () => {
    expect(facts.traces).toEqual({ seen: 1, withoutEnd: 1, gaps: { count: 1, open: 1, longestMs: RESOLVED - (OPENED + MINUTE) - 10_000 } });
  });

  it('beside: other incidents that were open in that time, of its queues or of everything; not itself', () => {
    expect(facts.beside).toEqual({ blackout: 1, lane_out_of_range: 1 });
  });
});
