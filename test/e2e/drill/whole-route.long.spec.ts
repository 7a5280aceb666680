import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alertmanagerLeftOut, cliEntry, prometheusLeftOut, ServerReplica, startAlertmanager, startProcess, startPrometheus, useTestDatabase, type Alertmanager, type Prometheus } from '#libs/testing';

const SHIPPED = join(import.meta.dirname, '../../../deploy/prometheus');
const RULES = readdirSync(SHIPPED).filter((name) => name.endsWith('.rules.yaml'));
const shipped = (name: string): string => readFileSync(join(SHIPPED, name), 'utf8');
const TOKENS = { drill: 'read, emit, operate', alertmanager: 'operate', prometheus: 'read' } as const;
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const ROUTE = `  routes:\n    - receiver: jobwarden\n      matchers: [action = "trigger-rollback"]\n`;

interface Link {
  readonly link: string;
  readonly state: string;
  readonly says: string;
  readonly mend: string | null;
}

interface Report {
  readonly drill: string;
  readonly incidentId: string | null;
  readonly ok: boolean;
  readonly links: readonly Link[];
}

/** Prometheus and Alertmanager as they are installed, with the files that are shipped but for where things are. */
describe.skipIf(prometheusLeftOut() || alertmanagerLeftOut())('a drill by the whole route', () => {
  const database = useTestDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'jobwarden-drill-'));
  const pages: { readonly type: string; readonly data: { readonly incidentId?: string; readonly jobs?: readonly { readonly id: string }[] } }[] = [];
  let receiver: Server;
  let service: ServerReplica;
  let alertmanager: Alertmanager | null = null;
  let prometheus: Prometheus | null = null;

  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const placed = (change: (text: string) => string = (text) => text): string =>
    change(shipped('alertmanager.yaml')).replace('http://jobwarden:7411', service.url).replace('/etc/alertmanager/jobwarden-token', join(folder, 'token'));
  const drill = async (...args: readonly string[]): Promise<{ code: number | null; report: Report; states: Record<string, string>; links: Record<string, Link> }> => {
    const process = startProcess({ entry: cliEntry, args: ['drill', '--url', service.url, '--json', ...args], env: { JOBWARDEN_TOKEN: 'drill' } });
    const { code } = await process.exited;
    const report = JSON.parse(process.output()) as Report;
    const named = report.links.map((link) => [link.link.replace(/127\.0\.0\.1:\d+/u, 'the receiver'), link] as const);
    return { code, report, links: Object.fromEntries(named), states: Object.fromEntries(named.map(([name, { state }]) => [name, state])) };
  };
  const by = (one: Alertmanager): string[] => ['--alertmanager', `http://${one.address}`];

  beforeAll(async () => {
    receiver = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += String(chunk)));
      request.on('end', () => {
        pages.push(JSON.parse(body) as (typeof pages)[number]);
        response.writeHead(204).end();
      });
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const tokens = Object.entries(TOKENS).map(([name, scopes]) => `  - {name: ${name}, hash: ${createHash('sha256').update(name).digest('hex')}, scopes: [${scopes}], namespaces: ["*"]}`);
    const webhook = `webhooks:\n  - {url: "http://127.0.0.1:${String((receiver.address() as AddressInfo).port)}/hook", secretEnv: HOOK_SECRET, events: [incidents, stuck]}`;
    const policy = file('policy.yaml', ['defaults: {actions: act, idempotent: true}', webhook, 'tokens:', ...tokens].join('\n'));
    service = await ServerReplica.start({ env: { JOBWARDEN_DATABASE_URL: database.url, JOBWARDEN_CONFIG: policy, JOBWARDEN_LOG_LEVEL: 'warn', HOME: folder, HOOK_SECRET: SECRET } });
    file('token', 'alertmanager');
    alertmanager = await startAlertmanager(placed());
    prometheus = await startPrometheus({ target: new URL(service.url).host, rules: RULES.map((name) => file(name, shipped(name))), token: 'prometheus', alertmanager: alertmanager.address });
  }, 90_000);
  afterAll(async () => {
    await prometheus?.stop();
    await alertmanager?.stop();
    await service.kill();
    receiver.closeAllConnections();
    receiver.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('shows every link to work: what Prometheus scrapes and goes by, the alert there and back by Alertmanager, page, all-clear and the notice of what is stuck', async () => {
    const { code, report, states } = await drill('--prometheus', prometheus?.url ?? '', ...by(alertmanager!), '--stuck-notice');
    const ok = ['stop switch', 'event', 'log', 'verdict', 'metrics', 'scrape', 'query', 'rules', 'alerting', 'alertmanager', 'alert', 'route', 'signal', 'incident', 'stream'];
    const told = ['page of the receiver', 'end', 'all-clear of the receiver', 'stuck notice to the receiver', 'clean-up'];
    expect([states, Object.keys(states), code], JSON.stringify(report.links)).toEqual([Object.fromEntries([...ok, ...told].map((link) => [link, 'ok'])), [...ok, ...told], 0]);
    expect(pages.filter(({ data }) => data.incidentId === report.incidentId).map(({ type }) => type)).toEqual(['jobwarden.incident.opened.v1', 'jobwarden.incident.would-have.v1', 'jobwarden.incident.resolved.v1']);
    expect(pages.filter(({ data }) => data.jobs?.some(({ id }) => id === report.drill) === true)).toHaveLength(1);
    // Nothing of it is left with Alertmanager either.
    const left = (await (await fetch(`http://${alertmanager?.address ?? ''}/api/v2/alerts`)).json()) as readonly { readonly labels: { readonly alertname: string } }[];
    expect(left.filter(({ labels }) => labels.alertname === 'JobwardenDrill')).toEqual([]);
  }, 180_000);

  it('says that no route leads to Jobwarden, and to whom the alert went instead', async () => {
    const without = await startAlertmanager(placed((text) => text.replace(ROUTE, '  routes:\n    - receiver: jobwarden\n      matchers: [action = "something-else"]\n')));
    try {
      expect(shipped('alertmanager.yaml')).toContain(ROUTE);
      const { code, links, states } = await drill(...by(without), '--timeout', '12s');
      expect(links['route']).toMatchObject({ state: 'broken', says: 'it has not come to Jobwarden; Alertmanager gave it to people', mend: expect.stringContaining('the matcher action = "trigger-rollback"') as string });
      expect([states['alert'], states['signal'], states['verdict'], states['clean-up'], code]).toEqual(['ok', 'left-out', 'ok', 'ok', 1]);
    } finally {
      await without.stop();
    }
  }, 120_000);

  it('says that Jobwarden refuses the token of Alertmanager', async () => {
    file('wrong-token', 'mistyped');
    const wrong = await startAlertmanager(placed().replace(join(folder, 'token'), join(folder, 'wrong-token')));
    try {
      const { code, links } = await drill(...by(wrong), '--timeout', '12s');
      expect(links['route']).toMatchObject({ state: 'broken', says: 'Alertmanager could not hand it over; it went to jobwarden', mend: expect.stringContaining('credentials_file') as string });
      expect(code).toBe(1);
    } finally {
      await wrong.stop();
    }
  }, 120_000);

  it('says that a silence holds the alert back', async () => {
    const silenced = await startAlertmanager(placed());
    try {
      const silence = { matchers: [{ name: 'action', value: 'trigger-rollback', isRegex: false }], startsAt: new Date().toISOString(), endsAt: new Date(Date.now() + 3_600_000).toISOString(), createdBy: 'ada', comment: 'too loud' };
      const made = await fetch(`http://${silenced.address}/api/v2/silences`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(silence) });
      const { silenceID } = (await made.json()) as { silenceID: string };
      const { links } = await drill(...by(silenced), '--timeout', '10s');
      expect(links['route']).toMatchObject({ state: 'broken', says: `Alertmanager holds it back by the silence ${silenceID}`, mend: expect.stringContaining('end the silence') as string });
    } finally {
      await silenced.stop();
    }
  }, 120_000);

  it('says that Alertmanager does not tell when an alert is over, and ends the incident all the same', async () => {
    const mute = await startAlertmanager(placed((text) => text.replace('send_resolved: true', 'send_resolved: false')));
    try {
      const { links, report } = await drill(...by(mute), '--timeout', '25s');
      expect(links['route']).toMatchObject({ state: 'ok' });
      expect(links['end']).toMatchObject({ state: 'broken', says: 'Alertmanager has not said in time that the alert is over', mend: expect.stringContaining('send_resolved: true') as string });
      const seen = (await (await fetch(`${service.url}/v1/signals?queue=jobwarden-drill`, { headers: { authorization: 'Bearer drill' } })).json()) as { items: readonly { incidentId: string | null; resolvedAt: string | null }[] };
      expect(seen.items.find(({ incidentId }) => incidentId === report.incidentId)?.resolvedAt).not.toBeNull();
    } finally {
      await mute.stop();
    }
  }, 120_000);

  it('names the alerts that Prometheus does not go by, and that it has nobody to tell and no token', async () => {
    const poor = await startPrometheus({ target: new URL(service.url).host, rules: RULES.filter((name) => name !== 'saturation.rules.yaml').map((name) => join(folder, name)) });
    try {
      const { code, links } = await drill('--prometheus', poor.url, '--timeout', '40s');
      expect(links['rules']).toMatchObject({ state: 'broken', says: '3 of 17 alerts are missing: JobwardenBacklogUnknown, JobwardenQueueDeep, WorkerReactorCriticalSaturation', mend: expect.stringContaining('rule_files') as string });
      expect(links['alerting']).toMatchObject({ state: 'broken', says: 'it has no Alertmanager to tell' });
      expect(links['scrape']).toMatchObject({ state: 'broken', says: expect.stringMatching(/is down: .*401/u) as string, mend: expect.stringContaining('scope read') as string });
      expect([links['query']?.state, links['all-clear of the receiver']?.state, code]).toEqual(['left-out', 'ok', 1]);
    } finally {
      await poor.stop();
    }
  }, 120_000);
});
