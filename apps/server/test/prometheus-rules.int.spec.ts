import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prometheusLeftOut, startPrometheus, useTestDatabase, waitUntil, type Prometheus } from '#libs/testing';
import { asOwner, event, TestService } from './service.fixture.js';

const FOLDER = join(import.meta.dirname, '../../../deploy/prometheus');
const RULES = globSync('*.rules.yaml', { cwd: FOLDER }).map((name) => join(FOLDER, name));
const POLICY = 'defaults: {actions: act, idempotent: true, maxRetries: 0}\nqueues: {retried: {maxRetries: 1}}';
const DIED_MS = Date.UTC(2026, 0, 5);

interface Alert {
  readonly labels: Readonly<Record<string, string>>;
  readonly state: string;
}

interface Rule {
  readonly name: string;
  readonly query: string;
  readonly health: string;
}

/** The series that an expression reads, with their labels. */
function selectorsOf(query: string): readonly string[] {
  return [...query.matchAll(/\b(?:up|(?:worker|jobwarden)_[a-z_]+)(?:\{[^}]*\})?/gu)].map(([selector]) => selector);
}

/** What it compares, whether or not it is too much, and of what must not be there that it is there. */
function withoutVerdict(query: string): string {
  return query.replace(/^absent\((.*)\)$/u, '$1').replaceAll(/ ?(>=|>|==) ?/gu, ' $1 bool ').replace('unless', 'and');
}

describe.skipIf(prometheusLeftOut())('the alert rules', () => {
  const database = useTestDatabase();
  let service: TestService;
  let prometheus: Prometheus | null = null;
  beforeAll(async () => {
    await asOwner(database.url, `UPDATE jobwarden.installation SET clock_mode = 'manual', clock_ms = $1`, [DIED_MS - 1_000]);
    service = await TestService.start(database.url, POLICY);
    prometheus = await startPrometheus({ target: new URL(service.url).host, rules: RULES });
  });
  afterAll(async () => {
    await prometheus?.stop();
    await service.stop();
  });

  const api = async <T>(path: string): Promise<T> => (await prometheus?.api<T>(path)) as T;
  const clock = async (ms: number) => await service.call('PUT', '/v1/clock', { body: { now: new Date(ms).toISOString() } });
  const alerts = async () => (await api<{ alerts: readonly Alert[] }>('alerts')).alerts.map(({ labels, state }) => [labels['alertname'], labels['queue'], state]);

  it('do what their tests say', () => {
    const tests = globSync('*.test.yaml', { cwd: FOLDER });
    expect(tests).toHaveLength(RULES.length);
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', ...tests], { cwd: FOLDER, encoding: 'utf8' });
    expect(status, stdout + stderr).toBe(0);
  });

  it('see in a real service that nobody has looked at a dead letter for a day, and that somebody has', async () => {
    // A counter that begins at one has not increased: the second of them counts.
    for (const [i, id] of ['first', 'second'].entries()) {
      await service.send(event('queued', id), event('failed', id, { retryable: false, error: { class: 'E', message: 'no' } }));
      await clock(DIED_MS + 1_000 * (i + 1));
      await service.call('POST', '/v1/reconciliations', { body: {} });
      expect((await service.get(`/v1/queues/emails/jobs/${id}`)).body.status).toBe('dead-lettered');
      await waitUntil('Prometheus has seen it', async () => {
        const { result } = await api<{ result: readonly { value: [number, string] }[] }>('query?query=jobwarden_dead_letters');
        return result[0]?.value[1] === String(i + 1);
      });
    }
    await waitUntil('the arrival is an alert', async () => (await alerts()).some(([name, queue]) => name === 'JobwardenDeadLettersArriving' && queue === 'emails'));
    expect(await alerts()).not.toContainEqual(['JobwardenDeadLettersUnreviewed', 'emails', 'pending']);
    await clock(DIED_MS + 25 * 3_600_000);
    await waitUntil('it is pending', async () => (await alerts()).some(([name, queue, state]) => name === 'JobwardenDeadLettersUnreviewed' && queue === 'emails' && state === 'pending'));
    await service.call('POST', '/v1/dead-letters/reviews', { body: { reason: 'the weekly look' } });
    await waitUntil('it is over', async () => !(await alerts()).some(([name]) => name === 'JobwardenDeadLettersUnreviewed'));
  });

  it('refer to nothing that a running service does not export (J6)', async () => {
    await service.send(
      event('queued', 'again', { queue: 'retried' }),
      event('failed', 'again', { queue: 'retried', retryable: true, error: { class: 'E', message: 'no' } }),
      event('lease-renewal-failed', 'again', { queue: 'retried', reason: 'timed out', worker: { id: 'w' } }),
    );
    const { groups } = await api<{ groups: readonly { rules: readonly Rule[] }[] }>('rules');
    const rules = groups.flatMap((group) => group.rules);
    expect(rules.length).toBeGreaterThan(10);
    expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
    const found = async (query: string) => (await api<{ result: readonly unknown[] }>(`query?query=${encodeURIComponent(query)}`)).result.length;
    for (const { name, query } of rules) {
      const selectors = selectorsOf(query);
      expect(selectors.length, name).toBeGreaterThan(0);
      for (const text of [...selectors, withoutVerdict(query)]) await waitUntil(`${name}: ${text}`, async () => (await found(text)) > 0, { withinMs: 10_000 });
    }
    expect(await found('jobwarden_nobody_exports_this')).toBe(0);
  });
});
