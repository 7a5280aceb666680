import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Incidents, isOpen, type StoredIncident } from '#libs/application';
import { incidentKey, shardOf } from '#libs/contracts';
import { foldIncident, MAX_REPEATS } from '#libs/domain';
import { fixedPolicies, useTestDatabase, World } from '#libs/testing';
import { PgAuditStore } from '../audit/pg-audit-store.js';
import { QueueIds } from '../log/queue-ids.js';
import { PgIncidentReads } from '../read/incident-reads.js';
import { PgIncidentStore } from './pg-incident-store.js';

const KIND = 'lane_out_of_range';
const QUEUE = { namespace: 'acme', queue: 'mail' };

describe('incidents', () => {
  const database = useTestDatabase();
  let world: World;
  let incidents: Incidents;
  let reads: PgIncidentReads;
  const opened: StoredIncident[] = [];
  let stepped = 0;

  /** As another replica has them: nothing in common but the database. */
  const replica = (): Incidents =>
    new Incidents(new PgIncidentStore(world.database, new QueueIds(world.database)), {
      opened: (incident) => void opened.push(incident),
      stepped: () => void (stepped += 1),
    });

  beforeAll(() => {
    world = new World(database.url, fixedPolicies());
    incidents = replica();
    reads = new PgIncidentReads(world.database);
  });
  afterAll(() => world.close());

  it('are opened, noted and resolved, and told as a fold of their steps', async () => {
    const evidence = { wanted: 4_711, low: 5_200 };
    const { incident, opened: first } = await incidents.open(KIND, 'lane-a', { reason: 'out of range', evidence });
    expect(first).toBe(true);
    await incidents.note(KIND, 'lane-a', { reason: 'still', by: 'ada' });
    expect(await incidents.resolve(KIND, 'lane-a', { reason: 'seek', by: 'ada' })).toMatchObject({ kind: 'done' });
    const stored = await reads.one(incident.id);
    expect(stored).toMatchObject({ kind: KIND, subject: 'lane-a', queue: null });
    expect(stored?.steps).toMatchObject([
      { n: 1, type: 'opened', by: 'jobwarden', reason: 'out of range', evidence },
      { n: 2, type: 'noted', by: 'ada', reason: 'still' },
      { n: 3, type: 'resolved', by: 'ada', reason: 'seek' },
    ]);
    const [row] = (await reads.list({ namespaces: 'all' }, { limit: 10, after: null })).items;
    const standing = foldIncident(stored?.steps ?? []);
    expect(row).toEqual({
      id: incident.id,
      cause: null,
      kind: KIND,
      subject: 'lane-a',
      queue: null,
      status: 'resolved',
      summary: 'out of range',
      openedMs: standing?.openedMs,
      resolvedMs: standing?.resolvedMs,
    });
  });

  it('are opened once by any number of replicas at once, and told of once', async () => {
    const before = opened.length;
    const racers = Array.from({ length: 12 }, () => replica());
    const outcomes = await Promise.all(racers.map((one, i) => one.open(KIND, 'race', { reason: `by ${String(i)}` })));
    expect(outcomes.filter((o) => o.opened)).toHaveLength(1);
    expect(new Set(outcomes.map((o) => o.incident.id)).size).toBe(1);
    expect(opened.slice(before).map((i) => i.subject)).toEqual(['race']);
    const steps = (await reads.one(outcomes[0]?.incident.id ?? ''))?.steps ?? [];
    expect(steps.map((s) => s.type)).toEqual(['opened', ...Array.from({ length: 11 }, () => 'noted')]);
  });

  it('are resolved by one of two who do it at once; the other is told how it stands', async () => {
    const { incident } = await incidents.open(KIND, 'two', { reason: 'r' });
    const [by, also] = await Promise.all([
      incidents.resolveById(incident.id, { reason: 'mine', by: 'ada' }),
      replica().resolveById(incident.id, { reason: 'mine', by: 'bob' }),
    ]);
    const [done, refused] = by.kind === 'done' ? [by, also] : [also, by];
    expect(done.kind).toBe('done');
    expect(refused).toMatchObject({ kind: 'refused', code: 'closed', incident: { id: incident.id } });
    expect(refused.incident !== null && isOpen(refused.incident)).toBe(false);
    expect(await incidents.resolveById('999999', { reason: 'r' })).toMatchObject({ code: 'unopened', incident: null });
    expect(await incidents.resolveById('x', { reason: 'r' })).toMatchObject({ code: 'unopened', incident: null });
  });

  it('are opened anew by the next evidence of a cause that still stands', async () => {
    const first = await incidents.open(KIND, 'again', { reason: 'r' });
    await incidents.resolve(KIND, 'again', { reason: 'looks fine', by: 'ada' });
    expect(await incidents.resolve(KIND, 'again', { reason: 'r' })).toMatchObject({ kind: 'refused', code: 'unopened' });
    const second = await incidents.open(KIND, 'again', { reason: 'r' });
    expect(second.opened).toBe(true);
    expect(second.incident.id).not.toBe(first.incident.id);
  });

  it('take evidence that comes again and again with a bounded number of notes', async () => {
    const steps = stepped;
    for (let i = 0; i < MAX_REPEATS + 10; i += 1) {
      await incidents.open(KIND, 'flapping', { reason: `lag ${String(i % 2 === 0 ? 0 : i)}` });
    }
    const [open] = (await reads.list({ namespaces: 'all', status: 'open' }, { limit: 1, after: null })).items;
    expect(open?.subject).toBe('flapping');
    const stored = await reads.one(open?.id ?? '');
    expect(stored?.steps.length).toBeLessThanOrEqual(MAX_REPEATS + 1);
    expect(stepped - steps).toBe(stored?.steps.length);
  });

  it('of a queue are others than those of the installation, and of other queues', async () => {
    const ids = [
      await incidents.open('blackout', QUEUE, { reason: 'r' }),
      await incidents.open('blackout', { ...QUEUE, namespace: 'default' }, { reason: 'r' }),
      await incidents.open('blackout', 'mail', { reason: 'r' }),
      await incidents.open('blackout', QUEUE, { reason: 'r' }),
    ].map((o) => o.incident.id);
    expect(new Set(ids).size).toBe(3);
    expect(ids[3]).toBe(ids[0]);
    const seen = async (namespaces: readonly string[] | 'all') =>
      (await reads.list({ namespaces, kind: 'blackout' }, { limit: 10, after: null })).items.map((i) => i.queue);
    expect(await seen(['acme'])).toEqual([QUEUE]);
    expect(await seen('all')).toHaveLength(3);
    expect((await incidents.openOnes('blackout')).map((i) => i.queue?.namespace ?? null)).toEqual(['acme', 'default', null]);
    expect((await new PgIncidentStore(world.database, new QueueIds(world.database)).openCounts()).get('blackout')).toBe(3);
  });

  it('share the numbers of their shard with the events of jobs, without a gap or a repeat', async () => {
    const jobs = Array.from({ length: 60 }, (_, i) => world.send({ type: 'queued', job: `between-${String(i)}` }));
    const lanes = Array.from({ length: 40 }, (_, i) => incidents.open(KIND, `numbered-${String(i)}`, { reason: 'r' }));
    await Promise.all([...jobs, ...lanes]);
    await Promise.all(lanes.map((_, i) => incidents.resolve(KIND, `numbered-${String(i)}`, { reason: 'r' })));
    const audit = new PgAuditStore(world.database, 16);
    let entries = 0;
    for (let shard = 0; shard < 16; shard += 1) {
      const check = await audit.positions(shard);
      expect(check).toMatchObject({ duplicates: 0, beyond: 0, missing: 0 });
      entries += check.entries;
    }
    const [sum] = await world.database.query<{ events: number; steps: number }>(
      'SELECT (SELECT count(*) FROM jobwarden.events) AS events, (SELECT count(*) FROM jobwarden.incident_steps) AS steps',
    );
    expect(sum?.steps).toBeGreaterThan(80);
    expect(entries).toBe((sum?.events ?? 0) + (sum?.steps ?? 0));
    const wanted = shardOf(incidentKey({ kind: KIND, subject: 'numbered-7' }), 16);
    const shards = await world.database.query<{ shard: number }>(
      `SELECT DISTINCT shard FROM jobwarden.incident_steps JOIN jobwarden.incidents USING (incident_id) WHERE subject = 'numbered-7'`,
    );
    expect(shards).toEqual([{ shard: wanted }]);
  });

  it('leave a number missing where a step is lost, and the audit says so (or it could not fail)', async () => {
    const { incident } = await incidents.open(KIND, 'lost', { reason: 'r' });
    const shard = shardOf(incidentKey({ kind: KIND, subject: 'lost' }), 16);
    await world.database.query('DELETE FROM jobwarden.incidents WHERE incident_id = $1', [incident.id]);
    expect(await new PgAuditStore(world.database, 16).positions(shard)).toMatchObject({ missing: 1 });
  });

  it('keep what is too large, or no text of the database, out of the row', async () => {
    const { incident } = await incidents.open(KIND, 'large', {
      reason: `a\0b${'x'.repeat(10_000)}`,
      evidence: { dump: 'y'.repeat(100_000), nul: '\0' },
    });
    const [step] = (await reads.one(incident.id))?.steps ?? [];
    expect(step?.reason.length).toBe(8_192);
    expect(JSON.stringify(step?.evidence).length).toBeLessThanOrEqual(16_384);
    expect(step?.evidence).toEqual({ dump: expect.stringMatching(/^y{10000,}…$/u) as string, nul: '\0', leftOut: expect.stringMatching(/^8\d+ characters$/u) as string });
  });
});
