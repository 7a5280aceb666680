import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, freePort, type TestDatabase } from '#libs/testing';
import { cli, root, service, type TestService } from './cli.fixture.js';

const examples = join(root, 'examples/replay');
const pods = [
  'replay',
  join(examples, 'gpu-pods.csv'),
  '--format',
  'csv',
  '--map',
  join(examples, 'gpu-pods.map.json'),
];

describe('commands on a running service', () => {
  let database: TestDatabase;
  let running: TestService;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'jobwarden-cli-'));
    database = await createTestDatabase({ empty: true });
    expect(await cli(['migrate', '--clock', 'manual'], { JOBWARDEN_DATABASE_URL: database.url })).toMatchObject({
      code: 0,
    });
    const policy = join(folder, 'policy.yaml');
    writeFileSync(
      policy,
      `defaults: {actions: act, idempotent: true, heartbeats: none, stuckAfter: off, maxRetries: 1}
queues:
  q_2h: {hardTimeout: 1h}
  emails: {owner: queue}
`,
    );
    running = await service({ JOBWARDEN_DATABASE_URL: database.url, JOBWARDEN_CONFIG: policy });
  });
  afterAll(async () => {
    await running.process.stop();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function statuses(queues: string): Promise<Record<string, number>> {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      const { rows } = await client.query<{ status: string; count: string }>(
        `SELECT status, count(*) FROM jobwarden.jobs JOIN jobwarden.queues USING (queue_id) WHERE queue = ANY ($1::text[]) GROUP BY 1`,
        [queues.split(',')],
      );
      return Object.fromEntries(rows.map((r) => [r.status, Number(r.count)]));
    } finally {
      await client.end();
    }
  }

  it('start, list and end maintenance windows, and say what is wrong with one', async () => {
    const maintenance = async (...args: readonly string[]) => await cli(['maintenance', ...args, '--url', running.url]);
    const started = await maintenance('start', '--queue', 'emails', '--for', '2h', '--reason', 'new disks');
    expect(started).toMatchObject({ code: 0, stdout: expect.stringContaining('signals of emails, default lead to nothing') as string });
    const [list, wrong] = await Promise.all([maintenance(), maintenance('start', '--for', '2h', '--reason', 'of nothing')]);
    expect(list).toMatchObject({ code: 0, stdout: expect.stringMatching(/^1 +emails, default .*new disks$/mu) as string });
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('names nothing') as string });
    expect(await maintenance('end', '1')).toMatchObject({ code: 0, stdout: expect.stringContaining('Window 1 is over') as string });
  });

  it('report whether verdicts were right: 1 where one was wrong, 2 where the call is, 3 where nobody answers', async () => {
    const none = await cli(['shadow-report', '--url', running.url, '--queue', 'nothing']);
    expect(none).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Verdicts from .*: none\.$/mu) as string });
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(`INSERT INTO jobwarden.queues (namespace, queue) VALUES ('default', 'shadowed') ON CONFLICT DO NOTHING`);
    await client.query(
      `INSERT INTO jobwarden.verdicts (job_key, queue_id, attempt, kind, verdict, reason, action, level, decision, first_ms, last_ms, grade, graded_ms)
       SELECT '\\x00'::bytea, queue_id, 1, 'would-have', 'lost', 'lost', 'requeue', 'observe', 'restart-requested', jobwarden.lane_now(),
              jobwarden.lane_now(), 'wrong', jobwarden.lane_now() FROM jobwarden.queues WHERE queue = 'shadowed'`,
    );
    await client.end();
    const wrong = await cli(['shadow-report', '--url', running.url, '--queue', 'shadowed', '--json']);
    expect(wrong.code).toBe(1);
    expect(JSON.parse(wrong.stdout)).toMatchObject({ rows: [{ queue: 'shadowed', wrong: 1, precision: 0, level: 'act', code: 'at_act' }] });
    expect((await cli(['shadow-report', '--url', running.url, '--since', 'soon'])).code).toBe(2);
    expect((await cli(['shadow-report', '--url', `http://127.0.0.1:${String(await freePort())}`])).code).toBe(3);
  });

  it('replay a history once, however often they are run', async () => {
    const first = await cli([...pods, '--url', running.url, '--batch', '3', '--json']);
    expect(first.code).toBe(0);
    expect(JSON.parse(first.stdout)).toMatchObject({
      lines: 5,
      bad: 0,
      events: 12,
      sent: 12,
      appended: 12,
      duplicate: 0,
    });
    expect(await statuses('LS,BE,Burstable,Guaranteed')).toMatchObject({ succeeded: 2, processing: 1, queued: 1 });
    const again = await cli([...pods, '--url', running.url]);
    expect(again).toMatchObject({ code: 0, stdout: 'Sent 12 of 12 events: 0 appended, 12 there already.\n' });
  });

  it('list jobs and dead letters, and show one with its chain', async () => {
    await cli([
      'replay',
      join(examples, 'worker-log.ndjson'),
      '--format',
      'ndjson',
      '--map',
      join(examples, 'worker-log.map.json'),
      '--url',
      running.url,
    ]);
    const list = await cli(['jobs', '--queue', 'emails', '--url', running.url]);
    expect(list.code).toBe(0);
    expect(list.stdout).toMatch(/^STATUS +ATTEMPT +WAITS FOR +SINCE +QUEUE +ID\n/u);
    expect(list.stdout).toMatch(/^succeeded +2 .* emails +mail-2$/mu);
    const page = JSON.parse(
      (await cli(['jobs', '--queue', 'emails', '--limit', '2', '--json', '--url', running.url])).stdout,
    ) as { items: unknown[]; next: string | null };
    expect(page.items).toHaveLength(2);
    expect(page.next).not.toBeNull();
    const all = JSON.parse((await cli(['jobs', '--all', '--json', '--url', running.url])).stdout) as {
      items: unknown[];
    };
    expect(all.items.length).toBeGreaterThan(7);

    await expect
      .poll(async () => (await cli(['dead-letters', '--json', '--url', running.url])).stdout, { timeout: 20_000 })
      .toContain('pod-1');
    const shown = await cli(['dead-letters', 'show', 'BE', 'pod-1', '--url', running.url]);
    expect(shown).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('default/BE/pod-1: dead-lettered') as unknown,
    });
    expect(shown.stdout).toMatch(/^ {2}attempt 1 on replay: failed-for-good .*: Failed: the history says Failed$/mu);
    expect((await cli(['dead-letters', 'show', 'BE', 'nobody', '--url', running.url])).code).toBe(1);
  });

  it('take a release out of service, and let it in again: 0, and 2 where the call is wrong', async () => {
    const revisions = (...more: string[]) => cli(['revisions', ...more, '--url', running.url]);
    expect(await revisions('refuse', 'r7', '--reason', 'leaks')).toMatchObject({ code: 1, stderr: expect.stringContaining('revision_unknown') as unknown });
    const refused = await revisions('refuse', 'r7', '--reason', 'leaks', '--force');
    expect(refused).toMatchObject({ code: 0, stdout: expect.stringMatching(/^r7 is refused in all queues now; .* 0 of its attempts still run\.\n$/u) as unknown });
    expect((await revisions()).stdout).toMatch(/^\(all\) +r7 .* since .* by local: leaks$/mu);
    expect(JSON.parse((await revisions('list', '--json')).stdout)).toMatchObject({ items: [{ revision: 'r7', queue: null, record: null }] });
    expect(await revisions('readmit', 'r7', '--reason', 'mended')).toMatchObject({ code: 0, stdout: 'r7 is let in again in all queues.\n' });
    expect(await revisions('readmit', 'r7', '--reason', 'again')).toMatchObject({ code: 2, stderr: expect.stringContaining('not_refused') as unknown });
  });

  it('show dead letters by what they died of, and keep who has looked through them', async () => {
    const patterns = (...more: string[]) => cli(['dead-letters', 'patterns', '--queue', 'BE', ...more, '--url', running.url]);
    await expect.poll(async () => (await patterns()).stdout, { timeout: 20_000 }).toMatch(/new .* BE .* Failed: the history says Failed/u);
    const { items } = JSON.parse((await patterns('--json')).stdout) as { items: readonly { id: string }[] };
    const id = items[0]?.id ?? '';
    const said = await cli(['dead-letters', 'pattern', id, '--review', 'fixed', '--reason', 'more memory', '--url', running.url]);
    expect(said.stdout).toMatch(/^fixed .* by local: more memory$/mu);
    expect(await cli(['dead-letters', 'pattern', id, '--review', 'fixed', '--url', running.url])).toMatchObject({ code: 2 });
    expect((await cli(['dead-letters', 'pattern', '999999', '--url', running.url])).code).toBe(1);
    const done = await cli(['dead-letters', 'review', '--queue', 'BE', '--reason', 'Monday', '--url', running.url]);
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('Reviewed by local') as unknown });
    expect((await cli(['dead-letters', 'review', '--queue', 'BE', '--url', running.url])).stdout).toContain('by local: Monday');
    const typo = await cli(['dead-letters', 'review', '--queue', 'BEE', '--reason', 'typo', '--url', running.url]);
    expect(typo).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('No event has named the queue BEE. Did you mean BE?') as unknown });
    expect(await patterns('--queue', 'BEE')).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean BE?') as unknown });
  });

  it('send many dead letters round again, once somebody has said how many', async () => {
    const redrive = (...more: string[]) => cli(['dead-letters', 'redrive', 'BE', '--reason', 'more memory', ...more, '--url', running.url]);
    const counted = await redrive();
    const [, count = ''] = /the same with --count (\d+)/u.exec(counted.stdout) ?? [];
    expect(Number(count)).toBeGreaterThan(0);
    expect(await redrive('--count', String(Number(count) + 1))).toMatchObject({ code: 2, stderr: expect.stringContaining('say it as --count') as unknown });
    const done = await redrive('--count', count, '--rate', '1000');
    expect(done).toMatchObject({ code: 0, stdout: expect.stringMatching(new RegExp(`is finished: ${count} sent round again, 0 left where they were, 0 to go`, 'u')) as unknown });
  });

  it('change the payload of a dead letter, once somebody has seen the change', async () => {
    const about = { specversion: '1.0', source: '/test', subject: 'p-1' };
    const events = [
      { ...about, id: 'q', type: 'jobwarden.job.queued.v1', data: { queue: 'patched', payload: { to: 'ada@exmple.com', n: '§' } } },
      { ...about, id: 'f', type: 'jobwarden.job.failed.v1', data: { queue: 'patched', retryable: false, error: { class: 'E', message: 'no' } } },
    ];
    const headers = { 'content-type': 'application/json' };
    await fetch(`${running.url}/v1/events`, { method: 'POST', headers, body: JSON.stringify(events).replace('"§"', '1.0') });
    const file = join(folder, 'patch.json');
    writeFileSync(file, '[{"op": "replace", "path": "/to", "value": "ada@example.com"}, {"op": "add", "path": "/m", "value": 2.50}]');
    const patch = (...more: string[]) => cli(['dead-letters', 'patch', 'patched', 'p-1', ...more, '--url', running.url]);
    await expect.poll(async () => (await patch('--patch', file)).code, { timeout: 20_000 }).toBe(0);
    const seen = (await patch('--patch', file)).stdout;
    expect(seen).toContain('Payload of patched/p-1: 2 changes, 31 → 41 bytes\n  /to\n  - "ada@exmple.com"\n  + "ada@example.com"\n  /m\n  + 2.50\nNothing was done');
    const [, result = ''] = /--result ([0-9a-f]{64})/u.exec(seen) ?? [];
    const bad = join(folder, 'bad.json');
    writeFileSync(bad, '[{"op": "remove", "path": "/x"}]');
    expect(await patch('--patch', bad)).toMatchObject({ code: 2, stderr: expect.stringContaining('422 patch_does_not_apply: remove /x: there is nothing') as unknown });
    expect(await patch('--patch', join(folder, 'none'))).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be read') as unknown });
    expect(await patch('--patch', file, '--result', result)).toMatchObject({ code: 2, stderr: expect.stringContaining('400 reason_required') as unknown });
    expect(await patch('--patch', file, '--reason', 'misspelt', '--result', '0'.repeat(64))).toMatchObject({ code: 2, stderr: expect.stringContaining('409 result_differs') as unknown });
    expect(await patch('--patch', file, '--reason', 'misspelt', '--result', result)).toMatchObject({ code: 0, stdout: expect.stringContaining('patched/p-1 is requeued now: attempt 2') as unknown });
    expect(await patch('--patch', file, '--json')).toMatchObject({ code: 2, stderr: expect.stringContaining('409 not_dead_lettered') as unknown });
  });

  it('drive the clock as the history goes, so that deadlines fall where they would have', async () => {
    const args = [
      'replay',
      join(examples, 'cluster-jobs.csv'),
      '--format',
      'csv',
      '--map',
      join(examples, 'cluster-jobs.map.json'),
    ];
    expect(await cli([...args, '--url', running.url, '--drive-clock', '1m'])).toMatchObject({ code: 0 });
    const one = JSON.parse((await cli(['jobs', '--queue', 'q_2h', '--json', '--url', running.url])).stdout) as {
      items: { status: string; attempt: number }[];
    };
    // It ran for 90 minutes under a hard timeout of an hour: requeued in between, and it succeeded all the same.
    expect(one.items).toMatchObject([{ id: '0', status: 'succeeded', attempt: 2 }]);
    expect(await statuses('q_2h,q_2d,q_4h,q_none')).toEqual({ succeeded: 4 });
    expect((await cli(['audit'], { JOBWARDEN_DATABASE_URL: database.url })).code).toBe(0);
  });

  it('tell bad lines with number and reason, send the others, and say 1', async () => {
    const file = join(folder, 'dirty.csv');
    writeFileSync(
      file,
      'name,qos,phase,creation_time_s,scheduled_time_s,deletion_time_s\nd-0,LS,Running,1,2,3\nd-1,LS\n,LS,Running,1,2,3\nd-2,LS,Running,noon,2,3\nd-3,LS,Pending,4,,5\n',
    );
    const run = await cli([
      'replay',
      file,
      '--format',
      'csv',
      '--map',
      join(examples, 'gpu-pods.map.json'),
      '--url',
      running.url,
    ]);
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/^line 3: Invalid Record Length/mu);
    expect(run.stderr).toContain('line 4: column name (job id) is empty');
    expect(run.stderr).toContain('line 5: creation_time_s "noon" is no time');
    expect(run.stdout).toBe('Sent 3 of 3 events: 3 appended, 0 there already.\n3 bad lines were left out.\n');
  });

  it('tell what the service does not take, by line', async () => {
    const run = await cli([...pods, '--map', 'kindDefault=pod', '--url', running.url, '--json']);
    expect(run.code).toBe(1);
    expect(JSON.parse(run.stdout)).toMatchObject({ appended: 0, duplicate: 7, notTaken: { 'refused id_reused': 5 } });
    expect(run.stderr).toMatch(/^line \d: refused id_reused/mu);
  });

  it('refuse the clock of a service whose database has its own', async () => {
    const own = await createTestDatabase();
    const other = await service({ JOBWARDEN_DATABASE_URL: own.url });
    const run = await cli([...pods, '--drive-clock', '0', '--url', other.url]);
    await other.process.stop();
    await own.drop();
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('clock_is_real') as unknown });
  });

  it('send nothing on a dry run, and nothing without a mapping that fits', async () => {
    const dry = await cli([...pods, '--dry-run', '--url', `http://127.0.0.1:${await freePort()}`]);
    expect(dry).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('5 queued, 4 started, 2 succeeded, 1 failed') as unknown,
    });
    expect(await cli([...pods, '--map', 'queue=clazz', '--dry-run'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has no column clazz; it has name, qos') as unknown,
    });
    expect(
      await cli(['replay', 'gone.csv', '--format', 'csv', '--map', 'id=a', '--map', 'queue=b', '--map', 'queued=c']),
    ).toMatchObject({ code: 2 });
    expect(await cli(['replay', 'gone.csv', '--map', 'id=a'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--format') as unknown,
    });
    expect(await cli(['replay', 'gone.csv', '--format', 'xml'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('csv, ndjson') as unknown,
    });
  });

  it('say 3 when the service is not there, and 2 for an address that is none', async () => {
    const nobody = `http://127.0.0.1:${await freePort()}`;
    for (const args of [['jobs'], ['dead-letters', 'list'], ['dead-letters', 'show', 'q', 'i'], pods]) {
      const run = await cli([...args, '--url', nobody]);
      expect(run).toMatchObject({ code: 3, stderr: expect.stringContaining('does not answer') as unknown });
    }
    expect(await cli(['jobs', '--url', 'localhost'])).toMatchObject({ code: 2 });
    expect(await cli(['jobs', '--since', 'yesterday', '--url', running.url])).toMatchObject({ code: 2 });
    expect(await cli(['jobs', '--status', 'lost', '--url', running.url])).toMatchObject({ code: 2 });
  });
});

describe('a service that comes and goes while a history is sent', () => {
  let server: Server;
  let url: string;
  const requests: { readonly authorization: string | undefined; readonly events: number }[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk) => (text += String(chunk)));
      request.on('end', () => {
        const events = JSON.parse(text) as unknown[];
        requests.push({ authorization: request.headers.authorization, events: events.length });
        // The second request is answered only at its third try.
        if (requests.length === 2) return void request.socket.destroy();
        response.statusCode = requests.length === 3 ? 503 : 200;
        response.setHeader('content-type', 'application/json');
        if (requests.length === 3) response.setHeader('retry-after', '0');
        response.end(JSON.stringify({ results: events.map((_, index) => ({ index, id: null, outcome: 'appended' })) }));
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  });
  afterAll(() => server.close());

  it('gets each batch again until it has answered, with the token of the environment', async () => {
    const run = await cli([...pods, '--batch', '6', '--url', url], { JOBWARDEN_TOKEN: 'secret' });
    expect(run).toMatchObject({ code: 0, stdout: 'Sent 12 of 12 events: 12 appended, 0 there already.\n' });
    expect(requests).toEqual(Array.from({ length: 4 }, () => ({ authorization: 'Bearer secret', events: 6 })));
  });
});
