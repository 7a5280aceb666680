import type { Client, JobFact } from '@jobwarden/client';
import type { RunResult, RunSpec } from '@jobwarden/worker';
import type { EachMessagePayload, IHeaders } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { putBackHeaders } from '../headers.js';
import { look, type Look, type Running } from './look.js';
import { Queued } from './queued.js';

const ID = 'mails-0-42@1764470000000:mailer';

interface Given {
  readonly result: RunResult;
  readonly owner?: Running['owner'];
  readonly headers?: IHeaders;
  /** What Jobwarden has made of it. */
  readonly status?: string;
}

async function looked({ result, owner = 'queue', headers = {}, status = 'failed' }: Given) {
  const told: JobFact[] = [];
  const specs: RunSpec[] = [];
  const closing = new AbortController();
  const running: Running = {
    ...{ owner, groupId: 'mailer', closing: closing.signal },
    client: {
      job: () => {
        // Else it is asked again until it says something else.
        if (status === 'failed') closing.abort();
        return Promise.resolve({ status });
      },
    } as unknown as Client,
    queued: new Queued((fact) => told.push(fact)),
    check: () => Promise.resolve(),
    logger: { info: () => undefined, warn: () => undefined },
    runner: {
      admitted: () => Promise.resolve(),
      run: async (spec, handler) => {
        specs.push(spec);
        if (result.kind !== 'refused') await handler({} as never).catch(() => undefined);
        return result;
      },
    },
  };
  const message = { key: null, value: Buffer.from('{"to":"ada"}'), headers, timestamp: '1764470000000', offset: '42', attributes: 0 };
  const payload: EachMessagePayload = { topic: 'mails', partition: 0, message, heartbeat: () => Promise.resolve(), pause: () => () => undefined };
  return { seen: await look(running, payload, () => Promise.resolve()), told, specs };
}

const said = (seen: Look) => (seen.kind === 'refused' ? `refused ${seen.queue} ${String(seen.ms)}` : seen.kind === 'wait' ? `wait ${String(seen.ms)}` : seen.kind);
const refused = (code: Extract<RunResult, { kind: 'refused' }>['code'], retryAfterMs?: number): RunResult => ({ kind: 'refused', code, ...(retryAfterMs !== undefined && { retryAfterMs }) });
const failed = (retryable: boolean): RunResult => ({ kind: 'failed', error: new Error('no'), retryable });
const putBack = putBackHeaders({ queue: 'mails', jobId: ID, attempt: 2, token: 2, command: { reason: 'backoff', progress: 7 } });

describe('a look at a record', () => {
  it.each([
    ['has succeeded', { kind: 'succeeded', value: 1 }, 'done'],
    ['is finished', refused('finished'), 'done'],
    ['is finished since long', refused('retired'), 'done'],
    ['is run by a newer attempt', refused('superseded'), 'done'],
    ['is held by another owner', refused('held', 2_000), 'wait 2000'],
    ['is held for long: its owner may end it sooner', refused('held', 60_000), 'wait 5000'],
    ['may not be begun now', refused('paused', 3_000), 'wait 3000'],
    ['may not be begun by this revision', refused('revision_quarantined'), 'refused mails 5000'],
    ['came as the process was to end', refused('draining'), 'closed'],
    ['was let go as the process was to end', { kind: 'stopped', reason: 'drain' }, 'closed'],
    ['was let go for another attempt: the next claim says whose it is', { kind: 'stopped', reason: 'restart-requested' }, 'wait 100'],
    ['was overtaken', { kind: 'stopped', reason: 'superseded' }, 'done'],
    ['failed for good', failed(false), 'done'],
    ['failed, and is tried again in its place', failed(true), 'wait 1000'],
  ] as const)('whose job %s', async (_, result, outcome) => {
    expect(said((await looked({ result })).seen)).toBe(outcome);
  });

  it('that failed commits it once Jobwarden has decided, where that is who retries', async () => {
    expect(said((await looked({ result: failed(true), owner: 'jobwarden', status: 'retrying' })).seen)).toBe('done');
    expect(said((await looked({ result: failed(true), owner: 'jobwarden', status: 'failed' })).seen)).toBe('wait 1000');
  });

  it('tells that it was queued, unless it is over', async () => {
    const { told } = await looked({ result: { kind: 'succeeded', value: 1 } });
    expect(told).toEqual([{ type: 'queued', id: 'queued', queue: 'mails', jobId: ID, data: { payload: { json: { to: 'ada' } } } }]);
    expect((await looked({ result: refused('held') })).told).toEqual(told);
    expect((await looked({ result: refused('finished') })).told).toEqual([]);
  });

  it('that a command put back runs the same job by its token', async () => {
    const { specs, told } = await looked({ result: { kind: 'succeeded', value: 1 }, headers: putBack });
    expect(specs).toMatchObject([{ queue: 'mails', id: ID, attempt: 2, token: 2, command: { reason: 'backoff', progress: 7 } }]);
    expect(told).toEqual([]);
  });

  it('carries the trace context of whoever wrote the record, and what a command adds to it', async () => {
    const trace = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', tracestate: 'a=1' };
    const { specs, told } = await looked({ result: { kind: 'succeeded', value: 1 }, headers: trace });
    expect([specs[0], told[0]]).toMatchObject([trace, trace]);
    const command = { reason: 'lost', trace: { ...trace, previous: '00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01' } };
    const again = { ...trace, ...putBackHeaders({ queue: 'mails', jobId: ID, attempt: 2, token: 2, command }) };
    expect((await looked({ result: { kind: 'succeeded', value: 1 }, headers: again })).specs).toMatchObject([{ ...trace, command: { trace: command.trace } }]);
  });

  it('passes by what was put back for another group of the same topic', async () => {
    const headers = { ...putBack, 'jobwarden-job': 'mails-0-42@1764470000000:audit' };
    const { seen, specs } = await looked({ result: { kind: 'succeeded', value: 1 }, headers });
    expect([said(seen), specs]).toEqual(['done', []]);
  });
});
