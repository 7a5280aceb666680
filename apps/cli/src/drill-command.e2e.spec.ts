import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, freePort, type TestDatabase } from '#libs/testing';
import { cli, service, type CliRun, type TestService } from './cli.fixture.js';
import type { DrillReport } from './drill/links.js';

interface Paged {
  readonly type: string;
  readonly data: { readonly incidentId: string; readonly summary: string; readonly reason: string };
}

const hash = (token: string) => createHash('sha256').update(token).digest('hex');
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

describe('jobwarden drill', () => {
  const pages: Paged[] = [];
  let answers = 204;
  let receiver: Server;
  let database: TestDatabase;
  let running: TestService;
  let folder: string;

  beforeAll(async () => {
    receiver = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += String(chunk)));
      request.on('end', () => {
        if (answers < 300) pages.push(JSON.parse(body) as Paged);
        response.writeHead(answers).end();
      });
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    folder = mkdtempSync(join(tmpdir(), 'jobwarden-drill-'));
    const policy = join(folder, 'policy.yaml');
    // As dangerous as a policy can be: whatever it says, a drill does nothing.
    const lines = [
      'defaults: {actions: act, idempotent: true, heartbeats: none, stuckAfter: off, rollback: {target: "simulated:pool"}}',
      `webhooks:\n  - {url: "http://127.0.0.1:${String((receiver.address() as AddressInfo).port)}/secret-path", secretEnv: HOOK_SECRET, events: [incidents]}`,
      `tokens:\n  - {name: ada, hash: ${hash('ada')}, scopes: [admin], namespaces: ["*"]}\n  - {name: eve, hash: ${hash('eve')}, scopes: [read, emit], namespaces: ["*"]}`,
    ];
    writeFileSync(policy, lines.join('\n'));
    database = await createTestDatabase({});
    running = await service({ JOBWARDEN_DATABASE_URL: database.url, JOBWARDEN_CONFIG: policy, HOOK_SECRET: SECRET });
  });
  afterAll(async () => {
    await running.process.stop();
    await database.drop();
    receiver.closeAllConnections();
    receiver.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const drill = async (token: string, ...args: readonly string[]): Promise<CliRun> => await cli(['drill', '--url', running.url, ...args], { JOBWARDEN_TOKEN: token });
  const call = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    const headers = { authorization: 'Bearer ada', 'content-type': 'application/json' };
    return (await (await fetch(`${running.url}${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })).json()) as Record<string, unknown>;
  };
  const report = (ran: CliRun): DrillReport => JSON.parse(ran.stdout) as DrillReport;
  const states = (ran: CliRun): Record<string, string> => Object.fromEntries(report(ran).links.map(({ link, state }) => [link.replace(/127\.0\.0\.1:\d+/u, 'the receiver'), state]));

  const ALL = { 'stop switch': 'ok', event: 'ok', log: 'ok', verdict: 'ok', metrics: 'ok', alert: 'ok', signal: 'ok', incident: 'ok', stream: 'ok' };

  it('shows that every link works, twice at once, pages as a drill, and leaves nothing open and nothing changed', async () => {
    const both = await Promise.all([drill('ada', '--json'), drill('ada', '--json')]);
    for (const ran of both) {
      expect(states(ran), ran.stderr).toEqual({ ...ALL, 'page of the receiver': 'ok', end: 'ok', 'all-clear of the receiver': 'ok', 'stuck notice': 'left-out', 'clean-up': 'ok' });
      expect(ran.code).toBe(0);
      const id = report(ran).incidentId;
      const told = pages.filter(({ data }) => data.incidentId === id);
      expect(told.map(({ type }) => type)).toEqual(['jobwarden.incident.opened.v1', 'jobwarden.incident.would-have.v1', 'jobwarden.incident.resolved.v1']);
      expect(told.every(({ data }) => data.summary.startsWith('DRILL:') && data.reason.startsWith('DRILL:'))).toBe(true);
      const incident = await call('GET', `/v1/incidents/${String(id)}`);
      expect(incident).toMatchObject({ status: 'resolved', run: { drill: true, dryRun: true, target: null } });
      const job = await call('GET', `/v1/jobs/one?namespace=jobwarden-drill&queue=jobwarden-drill&id=${report(ran).drill}`);
      expect(job).toMatchObject({ status: 'cancelled', decisions: [{ kind: 'cancelled', by: 'ada' }, { kind: 'stop-requested' }] });
    }
    expect(new Set(both.map((ran) => report(ran).incidentId)).size).toBe(2);
  });

  it('tells that actions are off, and that nothing is decided meanwhile; the page goes out all the same', async () => {
    await call('PUT', '/v1/actions', { enabled: false, reason: 'we look at something' });
    const ran = await drill('ada', '--json');
    await call('PUT', '/v1/actions', { enabled: true, reason: 'seen' });
    expect(states(ran)).toMatchObject({ ...ALL, 'stop switch': 'broken', verdict: 'left-out', metrics: 'left-out', 'all-clear of the receiver': 'ok' });
    expect(ran.code).toBe(1);
  });

  it('names a receiver that refuses by its host, with its answer, and what to do', async () => {
    answers = 500;
    const ran = await drill('ada');
    answers = 204;
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/^page of 127\.0\.0\.1:\d+ +BROKEN +\d+ +answered 500 \(try \d+\)\n {4}The receiver does not take it/mu);
    expect(ran.stdout).toMatch(/^all-clear of 127\.0\.0\.1:\d+ +left out +- +waits behind its page$/mu);
    expect(ran.stdout).not.toContain('secret-path');
  });

  it('is a drill by the namespace: an alert that calls itself one finds no other queue', async () => {
    const event = { specversion: '1.0', id: '1', source: 't', subject: 'j', type: 'jobwarden.job.queued.v1', data: { queue: 'mails' } };
    await call('POST', '/v1/events', event);
    const labels = { action: 'trigger-rollback', queue: 'mails', drill: 'true' };
    const alert = { status: 'firing', labels, startsAt: new Date().toISOString(), fingerprint: 'f' };
    expect(await call('POST', '/v1/alerts', { version: '4', alerts: [alert] })).toMatchObject({ results: [{ outcome: 'refused', reason: 'queue_unknown' }] });
  });

  it('ends with 2 for a token that may not, before anything is done, and with 3 where nobody answers', async () => {
    expect(await drill('eve')).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('scope_missing') as string });
    expect((await drill('ada', '--timeout', 'soon')).code).toBe(2);
    expect((await cli(['drill', '--url', `http://127.0.0.1:${String(await freePort())}`])).code).toBe(3);
  });
});
