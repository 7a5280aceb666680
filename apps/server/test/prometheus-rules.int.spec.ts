import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { METRICS, type MetricSpec } from '#libs/observability';
import { prometheusLeftOut, useTestDatabase, waitUntil } from '#libs/testing';
import { blank, boardQueries, filledIn, untilNoneIsBlank } from './board-queries.fixture.js';
import { event, TestService } from './service.fixture.js';
import { asksTheGate, heartbeat, openTransaction, RULES, RULES_FOLDER, trouble, usualWork, WatchedService } from './watched-service.fixture.js';

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
  return [...query.matchAll(/\b(?:up|(?:[a-z]+:)?(?:worker|jobwarden|nodejs)_[a-z_]+(?::[a-z0-9_]+)?)(?:\{[^}]*\})?/gu)].map(([selector]) => selector);
}

/** What it compares, whether or not it is too much, and of what must not be there that it is there. */
function withoutVerdict(query: string): string {
  return query.replace(/^absent\((.*)\)$/u, '$1').replaceAll(/ ?(>=|>|==) ?/gu, ' $1 bool ').replace('unless', 'and');
}

describe.skipIf(prometheusLeftOut())('a real Prometheus that watches the service', () => {
  const database = useTestDatabase();
  let watched: WatchedService;
  let endTransaction: () => Promise<void> = () => Promise.resolve();
  beforeAll(async () => {
    watched = await WatchedService.start(database.url, DIED_MS - 1_000);
  });
  afterAll(async () => {
    await endTransaction();
    await watched.stop();
  });

  const api = async <T>(path: string): Promise<T> => await watched.prometheus.api<T>(path);
  const alerts = async () => (await api<{ alerts: readonly Alert[] }>('alerts')).alerts.map(({ labels, state }) => [labels['alertname'], labels['queue'], state]);
  const recorded = async () => {
    const { groups } = await api<{ groups: readonly { rules: readonly Rule[] }[] }>('rules');
    return groups.flatMap((group) => group.rules);
  };

  it('finds that the rules do what their tests say', () => {
    const tests = globSync('*.test.yaml', { cwd: RULES_FOLDER });
    expect(tests).toHaveLength(RULES.length);
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', ...tests], { cwd: RULES_FOLDER, encoding: 'utf8' });
    expect(status, stdout + stderr).toBe(0);
    const config = spawnSync('promtool', ['check', 'config', 'prometheus.yaml'], { cwd: RULES_FOLDER, encoding: 'utf8' });
    expect(config.status, config.stdout + config.stderr).toBe(0);
  });

  it('sees that nobody has looked at a dead letter for a day, and that somebody has', async () => {
    const { service } = watched;
    // A counter that begins at one has not increased: the second of them counts.
    for (const [i, id] of ['first', 'second'].entries()) {
      await service.send(event('queued', id), event('failed', id, { retryable: false, error: { class: 'E', message: 'no' } }));
      await watched.clock(DIED_MS + 1_000 * (i + 1));
      await watched.reconcile();
      expect((await service.get(`/v1/queues/emails/jobs/${id}`)).body.status).toBe('dead-lettered');
      await waitUntil('Prometheus has seen it', async () => (await watched.query('jobwarden_dead_letters'))[0]?.value[1] === String(i + 1));
    }
    await waitUntil('the arrival is an alert', async () => (await alerts()).some(([name, queue]) => name === 'JobwardenDeadLettersArriving' && queue === 'emails'));
    expect(await alerts()).not.toContainEqual(['JobwardenDeadLettersUnreviewed', 'emails', 'pending']);
    await watched.clock(DIED_MS + 25 * 3_600_000);
    await waitUntil('it is pending', async () => (await alerts()).some(([name, queue, state]) => name === 'JobwardenDeadLettersUnreviewed' && queue === 'emails' && state === 'pending'));
    await service.call('POST', '/v1/dead-letters/reviews', { body: { reason: 'the weekly look' } });
    await waitUntil('it is over', async () => !(await alerts()).some(([name]) => name === 'JobwardenDeadLettersUnreviewed'));
  });

  it('finds something for every rule, and for every query, annotation and variable of every board (J6)', async () => {
    endTransaction = await openTransaction(database.url);
    await usualWork(watched, 1);
    await trouble(watched);
    await watched.scraped();
    await usualWork(watched, 2);
    await heartbeat(watched);
    await asksTheGate(watched);
    const rules = await recorded();
    expect(rules.length).toBeGreaterThan(20);
    expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
    const ofRules = rules.flatMap(({ name, query }) => {
      expect(selectorsOf(query).length, name).toBeGreaterThan(0);
      return [...selectorsOf(query), withoutVerdict(query)].map((expr) => ({ of: name, expr }));
    });
    const { always } = boardQueries();
    expect(always.length).toBeGreaterThan(100);
    await untilNoneIsBlank(watched.prometheus, [...ofRules, ...always]);
  });

  it('is told nothing that is no number, however soon one scrape follows another (K10)', async () => {
    for (const scrape of ['first', 'second']) {
      const lines = (await watched.service.get('/metrics')).text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
      expect(lines.length).toBeGreaterThan(500);
      expect(lines.filter((line) => !Number.isFinite(Number(line.slice(line.lastIndexOf(' ') + 1)))), scrape).toEqual([]);
    }
  });

  it('is told what describes the database by one replica alone, or sums over them would multiply', async () => {
    const ofDatabase = Object.values<MetricSpec>(METRICS).filter(({ help }) => help.endsWith('Exported by one replica.')).map(({ name }) => name);
    expect(ofDatabase.length).toBeGreaterThan(20);
    const other = await TestService.start(database.url);
    try {
      const told = async (service: TestService) => new Set([...(await service.get('/metrics')).text.matchAll(/^[a-z_]+(?=[{ ])/gmu)].map(([name]) => name));
      const [one, two] = [await told(watched.service), await told(other)];
      expect(ofDatabase.filter((name) => two.has(name))).toEqual([]);
      expect(two).toContain('jobwarden_heap_limit_bytes');
      expect(ofDatabase.filter((name) => !one.has(name))).toEqual(['jobwarden_lane_behind_records']);
    } finally {
      await other.stop();
    }
  });

  it('would find what is not exported, what is no number and what is no query', async () => {
    const { prometheus } = watched;
    expect(await blank(prometheus, 'sum(rate(jobwarden_nobody_exports_this{job="jobwarden"}[1m]))')).toBe('empty');
    expect(await blank(prometheus, 'vector(0) / vector(0)')).toBe('not a number');
    expect(await blank(prometheus, 'sum(rate(up))')).toMatch(/^refused: /u);
    expect(await blank(prometheus, filledIn('up{job=~"$job"}'))).toBeNull();
  });
});
