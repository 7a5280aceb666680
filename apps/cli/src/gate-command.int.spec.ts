import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { run } from './run.js';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A service that answers these one after the other, the last one for ever; 0: it breaks off. */
async function serviceOf(answers: readonly { readonly status?: number; readonly body?: unknown }[]) {
  const asked: string[] = [];
  server = createServer((request, response) => {
    const { status = 200, body } = answers[Math.min(asked.length, answers.length - 1)] ?? {};
    asked.push(request.url ?? '');
    if (status === 0) response.destroy();
    else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { asked, url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}` };
}

const answer = (verdict: string, reasons: readonly string[], more: object = {}) => ({
  body: { verdict, reasons, pass: verdict === 'healthy', closed: [], evidence: [], samples: { canary: 20, stable: 200 }, needed: { canary: 0, stable: 0 }, ...more },
});
const OPEN = answer('inconclusive', ['more_samples_needed'], { needed: { canary: 60, stable: 0 } });
const BAD = answer('unhealthy', ['failures_worse'], { evidence: [{ says: 'Of the canary’s attempts 10 % failed.', figures: {} }] });

async function gate(url: string, ...args: readonly string[]) {
  const [out, err]: [string[], string[]] = [[], []];
  const terminal = { out: (line: string) => void out.push(line), err: (line: string) => void err.push(line), errRaw: (text: string) => void err.push(text), interactive: false, columns: 100 };
  const exit = await run(['gate', '--url', url, ...args], { terminal, env: {}, signal: new AbortController().signal });
  return { exit, out: out.join('\n'), err: err.join('\n') };
}

it('ends with a code of its own for each thing a script may do', async () => {
  const closed = answer('healthy', ['not_worse'], { pass: false, closed: [{ code: 'postmortem_open', incidentIds: ['17'] }] });
  const cases = [
    [answer('healthy', ['not_worse']), 0, 'healthy: it is not worse'],
    [BAD, 1, 'unhealthy: more of its attempts fail\n  Of the canary’s attempts 10 % failed.'],
    [answer('error', ['stable_unknown']), 2, 'error: there is nothing to compare it with'],
    [answer('error', ['database_unavailable']), 3, 'error: the service’s database does not answer'],
    [OPEN, 4, 'inconclusive: more attempts have to end before it is told; 20 attempts of the canary so far, about 60 more would tell'],
    [closed, 4, 'healthy: it is not worse; closed: a postmortem is not signed (incident 17)'],
  ] as const;
  for (const [told, exit, out] of cases) {
    const { url } = await serviceOf([told]);
    expect(await gate(url, '--queue', 'mail')).toEqual({ exit, out, err: '' });
    server?.close();
  }
});

it('asks for what it was called with, and in a form whose body says all', async () => {
  const { url, asked } = await serviceOf([BAD]);
  const { out } = await gate(url, '--target', 'shop/mailer', '--revision', '2.0', '--baseline', '1.9', '--since', '2026-01-05T09:00:00Z', '--json');
  expect(JSON.parse(out)).toEqual(BAD.body);
  expect(asked).toEqual(['/v1/gates/canary?target=shop%2Fmailer&revision=2.0&baseline=1.9&since=2026-01-05T09%3A00%3A00Z&form=argo']);
});

it('is refused at once where the call is wrong or may not be made, whatever the wait', async () => {
  const { url } = await serviceOf([{ status: 403, body: { code: 'scope_missing', detail: 'The token lacks read.' } }]);
  expect(await gate(url, '--queue', 'mail', '--wait', '1h')).toMatchObject({ exit: 2, err: 'The service answered 403 scope_missing: The token lacks read.' });
  expect(await gate(url)).toMatchObject({ exit: 2, err: 'Name what is judged: either --target or --queue.' });
  expect(await gate(url, '--queue', 'mail', '--target', 'shop/mailer')).toMatchObject({ exit: 2 });
  expect(await gate('http://127.0.0.1:1', '--queue', 'mail')).toMatchObject({ exit: 3 });
});

it('waits for what is missing, also for the service, and ends when it is told or the wait is over', async () => {
  const told = await serviceOf([answer('error', ['revision_unknown']), { status: 0 }, { status: 503, body: {} }, OPEN, BAD]);
  expect(await gate(told.url, '--queue', 'mail', '--wait', '1h', '--every', '1ms')).toMatchObject({ exit: 1 });
  expect(told.asked).toHaveLength(5);
  server?.close();
  const never = await serviceOf([OPEN]);
  expect(await gate(never.url, '--queue', 'mail', '--wait', '20ms', '--every', '5ms')).toMatchObject({ exit: 4 });
  expect(never.asked.length).toBeGreaterThan(1);
});
