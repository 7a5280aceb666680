import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase, waitUntil } from '#libs/testing';
import { cli, service, type TestService } from './cli.fixture.js';

describe('commands on dead letters', () => {
  const database = useTestDatabase();
  let running: TestService;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'jobwarden-cli-'));
    const policy = join(folder, 'policy.yaml');
    writeFileSync(policy, 'defaults: {actions: act, idempotent: true}\n');
    running = await service({ JOBWARDEN_DATABASE_URL: database.url, JOBWARDEN_CONFIG: policy });
  });
  afterAll(async () => {
    await running.process.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function died(queue: string, id: string, queued: object, error: object): Promise<void> {
    const event = (type: string, data: object) => ({ specversion: '1.0', id: type, source: '/test', subject: id, type: `jobwarden.job.${type}.v1`, data: { queue, ...data } });
    const sent = await fetch(`${running.url}/v1/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([event('queued', queued), event('failed', { attempt: 1, retryable: false, error })]),
    });
    expect(sent.status).toBe(200);
    const one = `${running.url}/v1/dead-letters/one?${new URLSearchParams({ queue, id }).toString()}`;
    await waitUntil(`${id} is dead`, async () => (await fetch(one)).status === 200);
  }

  it('take one job up again, close it by hand, and erase what was told of it', async () => {
    await died('BE', 'pod-1', { payload: 'p' }, { class: 'E', message: 'no' });
    const call = (name: string, ...more: string[]) => cli(['dead-letters', name, 'BE', ...more, '--reason', 'seen to', '--url', running.url]);
    expect(await call('redrive')).toMatchObject({ code: 0, stdout: expect.stringContaining('1 dead letter would be sent round again. Nothing was done') as unknown });
    expect(await call('redrive', 'pod-1')).toMatchObject({ code: 0, stdout: expect.stringContaining('BE/pod-1 is requeued now: attempt 2') as unknown });
    expect(await call('redrive')).toMatchObject({ code: 0, stdout: 'There is no such dead letter. Nothing was done.\n' });
    expect(await call('redrive', 'pod-1')).toMatchObject({ code: 2, stderr: expect.stringContaining('409 not_finished: does not apply to a job that is requeued') as unknown });
    expect(await call('redrive', 'pod-1', '--count', '1')).toMatchObject({ code: 2, stderr: expect.stringContaining('--count is for many') as unknown });
    expect(await call('resolve', 'pod-1')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^BE\/pod-1 is succeeded now: attempt 2, decision \d+\.$/mu) as unknown });
    expect(await call('resolve', 'pod-1')).toMatchObject({ code: 2, stderr: expect.stringContaining('409 not_closable') as unknown });
    expect(await call('redrive', 'pod-1')).toMatchObject({ code: 0, stdout: expect.stringContaining('is requeued now: attempt 3') as unknown });
    expect(await call('discard', 'pod-1')).toMatchObject({ code: 0, stdout: expect.stringContaining('is discarded now') as unknown });
    expect(await call('erase-payload', 'pod-1')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Erased of BE\/pod-1: .*\nOut of reach:\n {2}log: /u) as unknown });
    const again = await cli(['jobs', 'erase-payload', 'BE', 'pod-1', '--reason', 'again', '--json', '--url', running.url]);
    expect(JSON.parse(again.stdout)).toMatchObject({ already: true, erased: { by: 'local', reason: 'seen to' } });
    expect(await call('discard', 'nobody')).toMatchObject({ code: 1, stderr: expect.stringContaining('404 job_unknown') as unknown });
  });

  it('export dead letters, and make a test of one that knows its failure again', async () => {
    const error = { class: 'TypeError', message: "order 7: Cannot read properties of null (reading 'price')", code: 'E7' };
    await died('orders', 'order 7', { payload: { order: 7, item: null } }, error);
    const file = join(folder, 'letters.ndjson');
    const done = await cli(['dead-letters', 'export', '--queue', 'orders', '--output', file, '--url', running.url]);
    expect(done).toMatchObject({ code: 0, stdout: '', stderr: `1 dead letter in ${file}.\n` });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ queue: 'orders', id: 'order 7' });
    const piped = await cli(['dead-letters', 'export', '--url', running.url]);
    expect(piped.stdout.split('\n').filter((line) => line.includes('"order 7"'))).toHaveLength(1);
    expect(await cli(['dead-letters', 'export', '--output', '/nowhere/x', '--url', running.url])).toMatchObject({ code: 2 });

    const made = join(folder, 'made');
    const handler = join(folder, 'handler.mjs');
    const fixture = (...more: string[]) => cli(['dead-letters', 'fixture', 'orders', 'order 7', '--output', made, ...more, '--url', running.url]);
    expect(await fixture('--handler', handler)).toMatchObject({ code: 0, stderr: '' });
    expect(await fixture()).toMatchObject({ code: 2, stderr: expect.stringContaining('fixture.json is there already') as unknown });
    const run = async (source: string, env: Readonly<Record<string, string>> = {}) => {
      writeFileSync(handler, source);
      return await new Promise<string>((resolve) => {
        const { PATH = '', HOME = '' } = process.env;
        execFile(process.execPath, ['--test', join(made, 'job.test.mjs')], { env: { PATH, HOME, ...env } }, (failed, stdout) => resolve(`${failed === null ? 'passed' : 'failed'}: ${stdout}`));
      });
    };
    const asItDid = 'export default async ({ payload }) => { throw Object.assign(new TypeError(`order ${payload.order + 1}: Cannot read properties of null (reading \'price\')`), { code: "E7" }); };';
    expect(await run(asItDid)).toMatch(/^passed: .*fails as it did/su);
    expect(await run(asItDid.replace('TypeError', 'RangeError'))).toMatch(/^failed: .*it fails of something else: .*expected is TypeError/su);
    const mended = 'export function handler({ data }) { return data.item?.price ?? 0; }';
    expect(await run(mended)).toMatch(/^failed: .*it fails no more/su);
    expect(await run(mended, { JOB_EXPECTED: 'succeeds' })).toMatch(/^passed: .*succeeds/su);
    expect(await run(mended, { JOB_HANDLER: './nobody.mjs' })).toMatch(/^failed: .*no handler can be loaded/su);
    expect(await fixture('--force')).toMatchObject({ code: 0, stderr: expect.stringContaining('Say where your handler is') as unknown });
    expect((await cli(['dead-letters', 'fixture', 'orders', 'nobody', '--output', join(folder, 'none'), '--url', running.url])).code).toBe(1);
  });
});
