import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { run } from './run.js';

interface Answered {
  readonly status?: number;
  readonly body: unknown;
}

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A service that answers these one after the other, the last one for ever; and what it was sent. */
async function serviceOf(answers: readonly Answered[]): Promise<{ url: string; sent: { method: string; url: string; body: string }[] }> {
  const sent: { method: string; url: string; body: string }[] = [];
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += String(chunk)));
    request.on('end', () => {
      const { status = 200, body: answer } = answers[Math.min(sent.length, answers.length - 1)]!;
      sent.push({ method: request.method ?? '', url: request.url ?? '', body });
      if (status === 0) response.destroy();
      else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, sent };
}

const AT = '2026-01-15T09:30:00.000Z';
const incident = (types: readonly string[], more: { status?: string; run?: object } = {}) => ({
  incidentId: 'incident-1',
  status: more.status ?? 'open',
  steps: types.map((type, i) => ({ n: i + 1, type, at: AT, by: 'jobwarden', reason: `so it is ${type}.` })),
  run: { phase: 'isolating', waitsFor: null, code: null, plan: null, acted: types.includes('isolated'), ...more.run },
});
const written = (told: ReturnType<typeof incident>, evidence: object = { written: { releaseId: 'v1' } }) => ({
  ...told,
  steps: told.steps.map((step) => (step.type === 'rolled-back' ? { ...step, evidence } : step)),
});

async function rollback(url: string, ...args: readonly string[]) {
  const [out, err]: [string[], string[]] = [[], []];
  const interrupted = new AbortController();
  const terminal = { out: (line: string) => void out.push(line), err: (line: string) => void err.push(line), errRaw: () => undefined, interactive: false, columns: 100 };
  const exit = await run(['rollback', '--url', url, '--reason', 'v2 loses mail', ...args], { terminal, env: {}, signal: interrupted.signal });
  return { exit, out: out.join('\n'), err: err.join('\n') };
}

const TARGET = ['--target', 'shop/email-workers'] as const;

it('opens an incident, tells each step once, and ends with 0 once it is rolled back, verified and resolved', async () => {
  const all = ['opened', 'isolated', 'rolled-back', 'verified', 'resolved'];
  const { url, sent } = await serviceOf([
    { status: 201, body: incident(all.slice(0, 1)) },
    { body: incident(all.slice(0, 3), { run: { phase: 'verifying', waitsFor: 'a sample of attempts that succeed' } }) },
    { body: written(incident(all, { status: 'resolved', run: { phase: 'over' } })) },
  ]);
  const { exit, out, err } = await rollback(url, ...TARGET, '--revision', 'v2');
  expect(exit).toBe(0);
  expect(out).toBe('Rolled back, and everything is let in again. Incident incident-1.');
  expect(err.split('\n')).toEqual([
    'Incident incident-1',
    `${AT}  opened  so it is opened.`,
    `${AT}  isolated  so it is isolated.`,
    `${AT}  rolled-back  so it is rolled-back.`,
    '  waits for a sample of attempts that succeed',
    `${AT}  verified  so it is verified.`,
    `${AT}  resolved  so it is resolved.`,
  ]);
  expect(sent[0]).toEqual({ method: 'POST', url: '/v1/incidents', body: JSON.stringify({ target: 'shop/email-workers', revision: 'v2', reason: 'v2 loses mail' }) });
  expect(sent.slice(1).map(({ method, url: path }) => `${method} ${path}`)).toEqual(['GET /v1/incidents/incident-1', 'GET /v1/incidents/incident-1']);
});

it('ends with 1 where something was done and a person is asked, with the code', async () => {
  const { url } = await serviceOf([{ status: 201, body: incident(['opened', 'isolated', 'rollback-begun', 'escalated'], { run: { phase: 'escalated', code: 'gitops_conflict' } }) }]);
  const { exit, out } = await rollback(url, ...TARGET);
  expect(exit).toBe(1);
  expect(out).toBe('Escalated, gitops_conflict: so it is escalated. (incident incident-1)');
});

it('ends with 1 where it was aborted, or resolved without a rollback, once something was done; with 2 where nothing was', async () => {
  const over = { status: 'resolved', run: { phase: 'over' } };
  for (const [types, exit] of [
    [['opened', 'isolated', 'rolled-back', 'verified', 'aborted', 'resolved'], 1],
    [['opened', 'cause-assessed', 'noted', 'isolated', 'resolved'], 1],
    [['opened', 'cause-assessed', 'aborted', 'resolved'], 2],
    [['opened', 'resolved'], 2],
  ] as const) {
    const { url } = await serviceOf([{ status: 201, body: incident(types, over) }]);
    expect(await rollback(url, ...TARGET), types.join()).toMatchObject({ exit });
    server?.close();
  }
  // Announced and not told of: it may have been done.
  const announced = incident(['opened', 'cause-assessed', 'noted', 'escalated'], { run: { phase: 'escalated', code: 'not_refused_everywhere', acted: true } });
  expect(await rollback((await serviceOf([{ status: 201, body: announced }])).url, ...TARGET)).toMatchObject({ exit: 1 });
});

it('does not call a rollback what was isolated alone', async () => {
  const all = incident(['opened', 'isolated', 'rolled-back', 'verified', 'resolved'], { status: 'resolved', run: { phase: 'over' } });
  const { url } = await serviceOf([{ status: 201, body: written(all, { passedOver: 'no target is named for it' }) }]);
  const out = 'Not rolled back: no target is named for it. Work succeeds, and everything is let in again. Incident incident-1.';
  expect(await rollback(url, '--queue', 'emails')).toMatchObject({ exit: 0, out });
});

it('ends with 2 where nothing was done: by the run, by the service, or called wrongly', async () => {
  const refused = incident(['opened', 'cause-assessed', 'escalated'], { run: { phase: 'escalated', code: 'no_stable_revision' } });
  const said = 'Refused, and nothing was done, no_stable_revision: so it is escalated. (incident incident-1)';
  expect(await rollback((await serviceOf([{ status: 201, body: refused }])).url, ...TARGET)).toMatchObject({ exit: 2, out: said });
  server?.close();
  const problem = { code: 'incident_open', detail: 'One is open for this target.', incidentId: 'incident-0' };
  const { url } = await serviceOf([{ status: 409, body: problem }]);
  expect(await rollback(url, ...TARGET)).toMatchObject({ exit: 2, err: 'Refused, incident_open: One is open for this target. (incident incident-0)' });
  expect(await rollback(url)).toMatchObject({ exit: 2, err: 'Name what is rolled back: either --target or --queue.' });
  expect(await rollback(url, ...TARGET, '--queue', 'emails')).toMatchObject({ exit: 2 });
});

it('waits for a service that restarts, and ends with 3 where it stays away', async () => {
  const end = incident(['opened', 'rolled-back', 'verified', 'resolved'], { status: 'resolved', run: { phase: 'over' } });
  const { url } = await serviceOf([{ status: 201, body: incident(['opened']) }, { status: 0, body: null }, { status: 503, body: {} }, { body: end }]);
  const back = await rollback(url, ...TARGET);
  expect(back.exit).toBe(0);
  expect(back.err).toContain('  waits for the service, which does not answer\n');
  server?.close();
  const gone = await serviceOf([{ status: 201, body: incident(['opened']) }, { status: 0, body: null }]);
  expect(await rollback(gone.url, ...TARGET, '--patience', '1ms')).toMatchObject({ exit: 3 });
  expect(await rollback('http://127.0.0.1:1', ...TARGET)).toMatchObject({ exit: 3 });
});

it('only tells with --dry-run, of a queue in its namespace, and prints one document with --json', async () => {
  const told = incident(['opened', 'cause-assessed', 'would-have'], { run: { phase: 'would-have', plan: ['refuse v2', 'bring v1 with 3 pods'] } });
  const { url, sent } = await serviceOf([{ status: 201, body: told }]);
  const { exit, out } = await rollback(url, '--queue', 'emails', '--namespace', 'shop', '--dry-run');
  expect(exit).toBe(0);
  expect(out).toBe('Nothing was done. It would have: refuse v2; bring v1 with 3 pods');
  expect(sent[0]).toMatchObject({ url: '/v1/incidents?namespace=shop', body: JSON.stringify({ queue: 'emails', reason: 'v2 loses mail', dryRun: true }) });
  const asJson = await rollback(url, ...TARGET, '--dry-run', '--json');
  expect(JSON.parse(asJson.out)).toEqual(told);
  expect(asJson.err).toBe('');
});
