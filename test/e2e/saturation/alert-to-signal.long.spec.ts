import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  alertmanagerLeftOut,
  prometheusLeftOut,
  ServerReplica,
  startAlertmanager,
  startPrometheus,
  useTestDatabase,
  waitUntil,
  type Alertmanager,
  type Prometheus,
} from '#libs/testing';
import { FailingFleet } from './failing-fleet.js';
import { lengthened, shortened } from './shortened-rules.js';

const SHIPPED = join(import.meta.dirname, '../../../deploy/prometheus');
const ALERT = 'WorkerReactorCriticalSaturation';
const TOKENS = { fleet: 'emit', alertmanager: 'operate', prometheus: 'read' } as const;
const hash = (token: string) => createHash('sha256').update(token).digest('hex');
const POLICY = [
  // The evaluator goes by the same rule: that it is not the one that tells, it never does here. Nor are these workers a blackout.
  'defaults: {saturation: {ratio: 1}, blackout: {share: 1}}',
  'tokens:',
  ...Object.entries(TOKENS).map(([name, scope]) => `  - {name: ${name}, hash: ${hash(name)}, scopes: [${scope}], namespaces: ["*"]}`),
].join('\n');

interface Signal {
  readonly source: string;
  readonly queue: string;
  readonly namespace: string;
  readonly times: number;
  readonly settled: string | null;
  readonly resolvedAt: string | null;
  readonly figures: Readonly<Record<string, number>>;
}

describe('the shipped rule, changed for the test', () => {
  const original = readFileSync(join(SHIPPED, 'saturation.rules.yaml'), 'utf8');
  const ruleOf = (text: string) =>
    (parse(text) as { groups: { rules: { alert: string; expr: string; for: string; keep_firing_for?: string }[] }[] }).groups[0]?.rules.find(({ alert }) => alert === ALERT);

  it('differs in its times alone', () => {
    const short = shortened(original);
    expect(lengthened(short)).toBe(original);
    const [rule, shipped] = [ruleOf(short), ruleOf(original)];
    expect(rule).toEqual({ ...shipped, for: '1s', keep_firing_for: '1s', expr: shipped?.expr.replaceAll('[2m]', '[8s]') });
    expect([shipped?.for, shipped?.expr.match(/\[2m\]/gu)?.length]).toEqual(['1m', 3]);
  });
});

describe.skipIf(prometheusLeftOut() || alertmanagerLeftOut())('a fleet whose workers die without a word', () => {
  const database = useTestDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'jobwarden-saturation-'));
  let service: ServerReplica;
  let alertmanager: Alertmanager | null = null;
  let prometheus: Prometheus | null = null;
  let fleet: FailingFleet;

  const call = async (token: keyof typeof TOKENS, path: string, body?: unknown): Promise<unknown> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(`${service.url}${path}`, body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${String(response.status)} ${await response.text()}`);
    return await response.json();
  };
  const signals = async () => ((await call('prometheus', '/v1/signals')) as { items: readonly Signal[] }).items;
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  beforeAll(async () => {
    const env = { JOBWARDEN_DATABASE_URL: database.url, JOBWARDEN_CONFIG: file('policy.yaml', POLICY), JOBWARDEN_LOG_LEVEL: 'warn', HOME: folder };
    service = await ServerReplica.start({ env });
    // The example as it is, but for where the service and the token are.
    const example = readFileSync(join(SHIPPED, 'alertmanager.yaml'), 'utf8');
    const placed = example.replace('http://jobwarden:7411', service.url).replace('/etc/alertmanager/jobwarden-token', file('token', 'alertmanager'));
    expect(placed).not.toBe(example);
    alertmanager = await startAlertmanager(placed);
    const rules = file('saturation.rules.yaml', shortened(readFileSync(join(SHIPPED, 'saturation.rules.yaml'), 'utf8')));
    prometheus = await startPrometheus({ target: new URL(service.url).host, rules: [rules], token: 'prometheus', alertmanager: alertmanager.address });
    fleet = new FailingFleet({ queue: 'mail', send: (events) => call('fleet', '/v1/events', events) });
  });
  afterAll(async () => {
    await fleet.stop();
    await prometheus?.stop();
    await alertmanager?.stop();
    await service.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is one signal, by way of Prometheus and Alertmanager, and over with the alert', async () => {
    await fleet.waiting(5_200);
    fleet.start();
    await waitUntil('a signal stands', async () => (await signals()).length > 0, { withinMs: 60_000, everyMs: 100 });
    const seen = await signals();
    expect(seen).toMatchObject([{ source: 'alertmanager', queue: 'mail', namespace: 'default', settled: null, resolvedAt: null }]);
    const { ratio = 0, unprocessed = 0 } = seen[0]?.figures ?? {};
    expect(ratio).toBeGreaterThan(0.25);
    expect(unprocessed).toBeGreaterThan(5_000);
    // Without those that died it would not be so many.
    const heard = 'sum(rate(worker_jobs_processed_total{status="failed"}[8s])) / sum(rate(worker_jobs_processed_total{status!="lost"}[8s]))';
    const answer = await prometheus?.api<{ result: readonly { value: [number, string] }[] }>(`query?query=${encodeURIComponent(heard)}`);
    expect(Number(answer?.result[0]?.value[1])).toBeLessThan(0.25);
    await fleet.stop();
    await waitUntil('it is over', async () => (await signals()).every(({ resolvedAt }) => resolvedAt !== null), { withinMs: 60_000, everyMs: 100 });
    expect(await signals()).toHaveLength(1);
  }, 120_000);
});
