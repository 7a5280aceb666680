import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { METRICS, type MetricSpec } from '#libs/observability';
import { readAlertRules, ruleAt } from './alert-rules.js';
import { boards, expressionsOf } from './boards.js';
import { faultsOf } from './dashboard-schema.fixture.js';
import type { Dashboard, Panel } from './model.js';

const root = join(import.meta.dirname, '../../..');
const rules = readAlertRules(root);
const BOARDS = [...boards(rules)].map(([file, board]) => [file, board] as const);
const panelsOf = (board: Dashboard): readonly Panel[] => board.panels.filter((panel) => panel.type !== 'row');

/** What a series may be called, with the endings that a histogram has. */
const EXPORTED = new Set([
  ...Object.values<MetricSpec>(METRICS).flatMap(({ name, type }) => (type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name])),
  ...['up', 'nodejs_heap_size_used_bytes', 'process_resident_memory_bytes', 'process_cpu_seconds_total', 'nodejs_gc_duration_seconds_sum'],
  ...globSync('deploy/prometheus/*.rules.yaml', { cwd: root }).flatMap((file) =>
    (parse(readFileSync(join(root, file), 'utf8')) as { groups: { rules: { record?: string }[] }[] }).groups.flatMap((group) => group.rules.flatMap(({ record }) => record ?? [])),
  ),
]);
const metricsIn = (expr: string) => [...expr.matchAll(/\b(?:up|(?:worker|jobwarden|nodejs|process|queue|job)[_:][a-z_0-9:]+)\b/gu)].map(([name]) => name);

describe.each(BOARDS)('%s', (file, board) => {
  it('is the one that is committed', () => {
    expect(readFileSync(join(root, 'deploy/grafana/dashboards', file), 'utf8')).toBe(`${JSON.stringify(board, null, 2)}\n`);
  });

  it('is what Grafana’s dashboard model says, and nothing besides', () => {
    expect(faultsOf(JSON.parse(JSON.stringify(board)))).toEqual([]);
    expect(board.uid.length).toBeLessThanOrEqual(40);
  });

  it('says in every panel what it is, in which unit, and from where on it is too much', () => {
    for (const panel of panelsOf(board)) {
      expect(panel.title.length, panel.title).toBeGreaterThan(3);
      expect(panel.description, panel.title).toMatch(/^[A-Z0-9`].{10,}[.)]$/u);
      expect(panel.fieldConfig.defaults.unit, panel.title).not.toBe('');
      const [first, ...others] = panel.fieldConfig.defaults.thresholds.steps;
      expect(first?.value).toBeNull();
      expect(others.length).toBeLessThan(2);
      expect(panel.targets.every(({ legendFormat }) => legendFormat !== ''), panel.title).toBe(true);
    }
    expect(new Set(panelsOf(board).map(({ title }) => title)).size).toBe(panelsOf(board).length);
  });

  it('links each alert’s page, which is there', () => {
    const linked = panelsOf(board).flatMap(({ links }) => links);
    expect(linked.length).toBeGreaterThan(3);
    for (const { title, url } of linked) {
      const [, alert = ''] = /^Runbook: (\w+)$/u.exec(title) ?? [];
      expect(url).toBe(`\${docs}/runbooks/${alert}.md`);
      expect(existsSync(join(root, `docs/runbooks/${alert}.md`))).toBe(true);
    }
    expect(board.links.some(({ url }) => url.startsWith('${jobwarden}/'))).toBe(true);
  });

  it('asks only for what is exported or recorded, with variables that it has', () => {
    const known = new Set([...board.templating.list.map(({ name }) => name), '__rate_interval']);
    for (const { of, expr } of expressionsOf(board)) {
      expect(metricsIn(expr).length, of).toBeGreaterThan(0);
      expect(metricsIn(expr).filter((name) => !EXPORTED.has(name)), of).toEqual([]);
      for (const [, name = ''] of expr.matchAll(/\$\{?(\w+)/gu)) expect(known, of).toContain(name);
    }
  });

  it('has no two panels in one place', () => {
    const taken = new Set<string>();
    for (const { gridPos: { x, y, w, h } } of board.panels) {
      expect(x + w).toBeLessThanOrEqual(24);
      for (let i = x; i < x + w; i += 1) {
        for (let j = y; j < y + h; j += 1) {
          expect(taken.has(`${String(i)} ${String(j)}`)).toBe(false);
          taken.add(`${String(i)} ${String(j)}`);
        }
      }
    }
    expect(new Set(board.panels.map(({ id }) => id)).size).toBe(board.panels.length);
  });
});

describe('the boards together', () => {
  it('are found where Grafana’s container is told to look, with a data source to choose', () => {
    const read = (path: string): unknown => parse(readFileSync(join(root, 'deploy/grafana/provisioning', path), 'utf8'));
    expect(read('dashboards/jobwarden.yaml')).toMatchObject({ providers: [{ type: 'file', options: { path: '/var/lib/grafana/dashboards/jobwarden' } }] });
    expect(read('datasources/prometheus.yaml')).toMatchObject({ datasources: [{ type: 'prometheus', isDefault: true }] });
    expect(globSync('deploy/grafana/dashboards/*', { cwd: root }).map((file) => file.split('/').at(-1)).sort()).toEqual(BOARDS.map(([file]) => file).sort());
  });

  it('have a panel for every alert on a queue, its workers and Jobwarden', () => {
    const shown = new Set(BOARDS.flatMap(([, board]) => panelsOf(board)).flatMap(({ links }) => links.map(({ title }) => title.replace('Runbook: ', ''))));
    // That nobody tells how many wait shows as a gap in the depth.
    expect([...rules.keys()].filter((alert) => !shown.has(alert))).toEqual(['JobwardenBacklogUnknown']);
  });

  it('show whatever is told of the users’ jobs and workers', () => {
    const shown = new Set(BOARDS.flatMap(([, board]) => expressionsOf(board)).flatMap(({ expr }) => metricsIn(expr)).map((name) => name.replace(/_(?:bucket|sum|count)$/u, '')));
    const left = Object.values<MetricSpec>(METRICS).map(({ name }) => name).filter((name) => name.startsWith('worker_') && !shown.has(name));
    expect(left).toEqual([]);
  });

  it('would be found out by a wrong threshold, a field of another model, or a panel of somebody else’s', () => {
    expect(() => ruleAt(rules, 'JobwardenQueueDeep', 4_000)).toThrow('JobwardenQueueDeep compares with 5000, not with 4000');
    expect(() => ruleAt(rules, 'JobwardenNone')).toThrow('no rule is called JobwardenNone');
    const board = BOARDS[0]?.[1];
    const [, panel] = board?.panels ?? [];
    expect(faultsOf({ ...board, rows: [] })).not.toEqual([]);
    expect(faultsOf({ ...board, panels: [{ ...panel, type: 'graph' }] })).not.toEqual([]);
    expect(faultsOf({ ...board, panels: [{ ...panel, targets: [] }] })).not.toEqual([]);
  });
});

it('shows on the board of a queue nothing that is not of the queues which are chosen', () => {
  const [, board] = BOARDS.find(([file]) => file === 'jobwarden-queue.json') ?? [];
  const expressions = board === undefined ? [] : panelsOf(board).flatMap(({ targets }) => targets.map(({ expr }) => expr));
  expect(expressions.length).toBeGreaterThan(30);
  expect(expressions.filter((expr) => !/queue=~"\$queue"/u.test(expr))).toEqual([]);
});
