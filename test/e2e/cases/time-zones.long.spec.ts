import { afterEach, describe, expect, it } from 'vitest';
import { createTestDatabase } from '#libs/testing';
import { asOwner, event, manualClock, Shipped } from './shipped.js';

const HOUR = 3_600_000;
const ZONE = 'America/New_York';
const POLICY = `
defaults: {startBy: 300d, stuckAfter: off}
queues:
  acts: {actions: act, idempotent: true, grace: 24h, backoff: {initial: 24h, max: 24h, jitter: 0}}
`;
/** New York's days on which the clocks change, from midnight to midnight there. */
const CHANGES = [
  { name: 'spring', fromMs: Date.parse('2026-03-08T00:00:00-05:00'), toMs: Date.parse('2026-03-09T00:00:00-04:00'), hours: 23 },
  { name: 'autumn', fromMs: Date.parse('2026-11-01T00:00:00-04:00'), toMs: Date.parse('2026-11-02T00:00:00-05:00'), hours: 25 },
] as const;

interface Run {
  readonly looked: number;
  readonly rows: readonly { readonly id: string; readonly outcome: string; readonly decisions: readonly string[] }[];
}

describe('a service in New York, whose database is there too', () => {
  const cleanUp: (() => Promise<unknown>)[] = [];

  afterEach(async () => {
    for (const step of cleanUp.splice(0).reverse()) await step();
  });

  it('G2: counts elapsed time across both changes of the clocks, and reports in UTC', { timeout: 120_000 }, async () => {
    const database = await createTestDatabase();
    cleanUp.push(() => database.drop());
    await asOwner(database.url, `ALTER DATABASE ${database.name} SET timezone = '${ZONE}'`);
    expect(await asOwner(database.url, 'SHOW timezone')).toEqual([{ TimeZone: ZONE }]);
    await manualClock(database.url, CHANGES[0].fromMs);
    const service = await Shipped.start({ databaseUrl: database.url, policy: POLICY, env: { TZ: ZONE } });
    cleanUp.push(() => service.end());
    const seen: string[] = [];

    /** Moves the clock, and on the way decides each thing when it is due. */
    async function goTo(ms: number, fromMs: number): Promise<void> {
      for (let nowMs = -1; nowMs < ms; ) {
        const { status, body } = await service.call<{ now: string }>('PUT', '/v1/clock', { now: new Date(ms).toISOString(), untilDue: true });
        expect([status, body.now.endsWith('Z')]).toEqual([200, true]);
        nowMs = Date.parse(body.now);
        await look(nowMs - fromMs);
      }
    }
    async function look(afterMs: number): Promise<void> {
      for (;;) {
        const { body } = await service.call<Run>('POST', '/v1/reconciliations', {});
        if (body.looked === 0) return;
        for (const row of body.rows) seen.push(`${String(afterMs / HOUR)} h: ${row.id} ${row.outcome} ${row.decisions.join()}`);
      }
    }
    const verdicts = async (): Promise<number> => {
      const { rows } = await service.get<{ rows: readonly { verdicts: number }[] }>('/v1/shadow-report?since=24h&queue=watched');
      return rows.reduce((sum, row) => sum + row.verdicts, 0);
    };

    for (const { name, fromMs, toMs, hours } of CHANGES) {
      await goTo(fromMs, fromMs);
      seen.length = 0;
      const w = { worker: { id: 'w' } };
      await service.send([
        event('queued', `leased-${name}`, { queue: 'acts' }),
        event('started', `leased-${name}`, { queue: 'acts', ...w, leaseMs: 24 * HOUR }),
        event('queued', `failed-${name}`, { queue: 'acts' }),
        event('started', `failed-${name}`, { queue: 'acts', ...w }),
        event('failed', `failed-${name}`, { queue: 'acts', ...w, error: { class: 'E', message: 'no' } }),
        event('queued', `watched-${name}`, { queue: 'watched' }),
        event('started', `watched-${name}`, { queue: 'watched', ...w, leaseMs: HOUR }),
      ]);
      const inReport: boolean[] = [];
      for (let ms = fromMs; ms <= fromMs + 50 * HOUR; ms += HOUR / 2) {
        await goTo(ms, fromMs);
        if (ms < toMs) await service.send([event('queued', `${name}-${String(ms)}`, { queue: 'halves' })]);
        inReport.push((await verdicts()) > 0);
      }
      expect(seen).toEqual([
        `0 h: failed-${name} decided retry-scheduled`,
        `1 h: watched-${name} would-have restart-requested`,
        expect.stringMatching(`^24 h: (leased-${name} decided restart-requested|failed-${name} decided requeued)$`),
        expect.stringMatching(`^24 h: (leased-${name} decided restart-requested|failed-${name} decided requeued)$`),
        `48 h: leased-${name} decided requeued`,
      ]);
      // Seen for 24 hours from 1 h on, at every half hour.
      expect(inReport.map((there, i) => (there ? i / 2 : -1)).filter((h) => h >= 0)).toEqual(Array.from({ length: 49 }, (_, i) => 1 + i / 2));

      // By the hour, also by those that the wall's clock shows twice or never: two each, and none twice.
      const counts: number[] = [];
      for (let ms = fromMs; ms <= toMs; ms += HOUR) {
        const items = await service.all<{ id: string; since: string }>(`/v1/jobs?queue=halves&since=${new Date(ms).toISOString()}`);
        expect(items.every(({ since }) => since.endsWith('Z'))).toBe(true);
        counts.push(items.filter(({ id }) => id.startsWith(name)).length);
      }
      expect(counts).toEqual(Array.from({ length: hours + 1 }, (_, i) => 2 * (hours - i)));
      const byOffset = await service.all(`/v1/jobs?queue=halves&since=${encodeURIComponent(new Date(fromMs).toISOString().replace('Z', '+00:00'))}`);
      expect(byOffset.length).toBe(2 * hours);
    }
    // A time without its offset would be read as the process's: it is none.
    expect((await service.call('GET', '/v1/jobs?since=2026-03-08T02:30:00')).status).toBe(400);
    // Periods are weeks of UTC, whoever counts them.
    const periods = await asOwner<{ period: number; n: number }>(
      database.url,
      `SELECT period, count(*)::int AS n FROM jobwarden.jobs j JOIN jobwarden.queues USING (queue_id) WHERE queue = 'halves' GROUP BY 1 ORDER BY 1`,
    );
    expect(periods).toEqual(CHANGES.map(({ fromMs, hours }) => ({ period: Math.floor(fromMs / (7 * 24 * HOUR)), n: 2 * hours })));
  });
});
