import { describe, expect, it } from 'vitest';
import type { Entry } from './entry.js';
import type { TapFact } from './facts.js';
import { include } from './include.js';
import { JOB_FIELDS, nativeJob, type NativeJob } from './native-job.js';
import { Translation, type Lock } from './translate.js';

const CREATED = 1_764_470_000_000;
const CONTEXT = { queue: 'emails', payload: false };

function hash(values: Readonly<Partial<Record<(typeof JOB_FIELDS)[number] | 'stacktrace', string>>> = {}): NativeJob {
  const all: Readonly<Record<string, string>> = { name: 'welcome', timestamp: String(CREATED), opts: '{"attempts":3}', ...values };
  const job = nativeJob([...JOB_FIELDS, 'stacktrace'].map((field) => all[field] ?? null), ['stacktrace']);
  if (job === null) throw new Error('no job');
  return job;
}

/** Entries as BullMQ writes them; each a second after the one before. */
function entries(...written: readonly (readonly [event: string, nativeId?: string, fields?: Readonly<Record<string, string>>])[]): Entry[] {
  return written.map(([event, nativeId = '7', fields = {}], i) => ({
    ...{ id: `${String(CREATED + (i + 1) * 1_000)}-0`, event, nativeId, prev: fields['prev'] ?? '' },
    fields,
  }));
}

function take(translation: Translation, batch: readonly Entry[], job: NativeJob | null = hash(), lock?: Lock): TapFact[] {
  const locks = new Map(lock === undefined ? [] : [['7', lock]]);
  return translation.take(batch, { jobs: new Map([['7', job]]), locks });
}

const dataOf = (fact: TapFact | undefined) => (fact?.data ?? {}) as Readonly<Record<string, unknown>>;

function gist(facts: readonly TapFact[]): string[] {
  return facts.map((fact) => {
    const { attempt, retryable } = dataOf(fact);
    const end = retryable === undefined ? '' : retryable === true ? ', again' : ', for good';
    return `${fact.type}${typeof attempt === 'number' ? ` ${String(attempt)}` : ''}${end}`;
  });
}

const ACTIVE = ['active', '7', { prev: 'waiting' }] as const;
const BACK = ['waiting', '7', { prev: 'active' }] as const;

describe('a job in BullMQ’s stream', () => {
  it('that comes and goes is queued, started, succeeded', () => {
    const batch = entries(['added', '7', { name: 'welcome' }], ['waiting'], ACTIVE, ['completed', '7', { prev: 'active', returnvalue: '1' }], ['drained', '']);
    const job = hash({ ats: '1', atm: '1', processedOn: String(CREATED + 50), finishedOn: String(CREATED + 90) });
    const facts = take(new Translation(CONTEXT), batch, job);
    expect(gist(facts)).toEqual(['queued', 'started 1', 'succeeded 1']);
    expect(facts[0]).toMatchObject({ jobId: `7@${String(CREATED)}`, id: 'queued', data: { kind: 'welcome' } });
    expect(facts[2]).toMatchObject({ id: 'succeeded/1', data: { durationMs: 40 } });
  });

  it('that is deleted at its end is known by what the stream says', () => {
    const batch = entries(['added', '7', { name: 'welcome' }], ['waiting'], ACTIVE, ['completed', '7', { prev: 'active' }]);
    const facts = take(new Translation(CONTEXT), batch, null);
    expect(gist(facts)).toEqual(['queued', 'started 1', 'succeeded 1']);
    expect(facts.map((f) => f.jobId)).toEqual(Array(3).fill(`7@${String(CREATED + 1_000)}`));
    expect(facts[2]?.data).toEqual({ attempt: 1, durationMs: 1_000 });
  });

  it('that fails is tried again where BullMQ does, with its backoff, and given up where BullMQ gives up', () => {
    const batch = entries(['added'], ['waiting'], ACTIVE, ['delayed', '7', { delay: String(CREATED + 9_000) }], ['waiting', '7', { prev: 'delayed' }], ACTIVE, BACK, ACTIVE, [
      'failed',
      '7',
      { prev: 'active', failedReason: 'third' },
    ]);
    const job = hash({ ats: '3', atm: '3', failedReason: 'third', stacktrace: JSON.stringify(['TypeError: first\n at x', 'Error: second', 'RangeError: third']) });
    const facts = take(new Translation(CONTEXT), batch, job);
    expect(gist(facts)).toEqual(['queued', 'started 1', 'failed 1, again', 'started 2', 'failed 2, again', 'started 3', 'failed 3, for good']);
    expect(facts[2]?.data).toMatchObject({ error: { class: 'TypeError', message: 'first' }, retryAfterMs: 5_000 });
    expect(facts[4]?.data).not.toHaveProperty('retryAfterMs');
    expect(facts[6]?.data).toMatchObject({ error: { class: 'RangeError', message: 'third' } });
  });

  it('that stalls has no end in that attempt: its next start is the next one', () => {
    const batch = entries(['added'], ['waiting'], ACTIVE, BACK, ['stalled'], ACTIVE);
    const facts = take(new Translation(CONTEXT), batch, hash({ ats: '2', stc: '1' }));
    expect(gist(facts)).toEqual(['queued', 'started 1', 'started 2']);
  });

  it('that its worker gives back without an error has not failed, and is nobody’s to lose', () => {
    const batch = entries(['added'], ['waiting'], ACTIVE, BACK, ACTIVE);
    const facts = take(new Translation(CONTEXT), batch, hash({ ats: '2' }));
    expect(gist(facts)).toEqual(['queued', 'started 1', 'heartbeat 1', 'started 2']);
    expect(dataOf(facts[2])['leaseMs']).toBeGreaterThan(3_600_000);
  });

  it('that is removed before it ran is cancelled', () => {
    expect(gist(take(new Translation(CONTEXT), entries(['added'], ['waiting'], ['removed', '7', { prev: 'wait' }])))).toEqual(['queued', 'cancelled']);
  });

  it('that was there before the tap is numbered by what its hash counts', () => {
    const facts = take(new Translation(CONTEXT), entries(BACK, ACTIVE, BACK, ['stalled'], ACTIVE), hash({ ats: '5', atm: '3', stc: '1' }));
    expect(gist(facts)).toEqual(['queued', 'failed 3, again', 'started 4', 'started 5']);
  });

  it('is told the same by two taps that read it in different pieces', () => {
    const batch = entries(['added'], ['waiting'], ACTIVE, ['delayed', '7', { delay: String(CREATED + 9_000) }], ['waiting', '7', { prev: 'delayed' }], ACTIVE, ['completed', '7', { prev: 'active' }]);
    const job = hash({ ats: '2', atm: '2', failedReason: 'no', stacktrace: '["Error: no"]', processedOn: '5', finishedOn: '6' });
    const [one, other] = [new Translation(CONTEXT), new Translation(CONTEXT)];
    const inPieces = batch.flatMap((entry) => take(other, [entry], job));
    expect(inPieces.map((f) => f.id).filter((id) => !id?.startsWith('failed'))).toEqual(take(one, batch, job).map((f) => f.id).filter((id) => !id?.startsWith('failed')));
  });

  it('of which Jobwarden had an attempt put into the queue goes on as that attempt, and is not queued again', () => {
    const nativeId = `9@${String(CREATED)}~jobwarden~4~17`;
    const batch = entries(['added', nativeId], ['waiting', nativeId], ['active', nativeId], ['completed', nativeId]);
    const facts = new Translation(CONTEXT).take(batch, { jobs: new Map([[nativeId, hash()]]), locks: new Map() });
    expect(gist(facts)).toEqual(['started 4', 'succeeded 4']);
    expect(facts[0]?.jobId).toBe(`9@${String(CREATED)}`);
  });
});

describe('a worker', () => {
  const started = (job: NativeJob | null, lock?: Lock) => dataOf(take(new Translation(CONTEXT), entries(['added'], ['waiting'], ACTIVE), job, lock).at(-1))['worker'];

  it('is the one whose token the lock holds, under its name where it has one', () => {
    const lock = { token: '0cdea2cd-457d:12', leftMs: 900 };
    expect(started(hash(), lock)).toEqual({ id: '0cdea2cd-457d' });
    expect(started(hash({ pb: 'mailer-1' }), lock)).toEqual({ id: 'mailer-1', incarnation: '0cdea2cd-457d' });
    expect(started(hash())).toEqual({ id: 'bullmq/emails' });
  });
});

describe('a payload', () => {
  const extra = ['stacktrace', 'data'] as const;
  const job = nativeJob([...JOB_FIELDS, ...extra].map((f) => ({ name: 'n', timestamp: '5', data: '{"secret":1}' })[f as string] ?? null), extra);

  it('stays where it is unless somebody asks for it', () => {
    expect(JSON.stringify(take(new Translation(CONTEXT), entries(['added']), job))).not.toContain('secret');
    expect(dataOf(take(new Translation({ ...CONTEXT, payload: true }), entries(['added']), job)[0])['payload']).toEqual({ secret: 1 });
  });
});

describe('what a snapshot finds', () => {
  const found = (place: 'waiting' | 'delayed' | 'active' | 'completed' | 'failed', values: Parameters<typeof hash>[0] = {}) =>
    include(CONTEXT, { nativeId: '7', place, job: hash(values), lock: null, asOf: `${String(CREATED + 5_500)}-0` });

  it('is told by where it lies', () => {
    expect(gist(found('waiting').facts)).toEqual(['queued']);
    expect(gist(found('active', { ats: '2', processedOn: '5' }).facts)).toEqual(['queued', 'started 2']);
    expect(gist(found('delayed', { ats: '1', atm: '1', failedReason: 'x' }).facts)).toEqual(['queued', 'failed 1, again']);
    expect(gist(found('waiting', { ats: '1', stc: '1' }).facts)).toEqual(['queued']);
    expect(gist(found('completed', { ats: '2', atm: '2' }).facts)).toEqual(['queued', 'succeeded 2']);
    expect(gist(found('failed', { ats: '3', atm: '3', failedReason: 'x' }).facts)).toEqual(['queued', 'failed 3, for good']);
  });

  it('is not told again by entries that its hash holds already', () => {
    const translation = new Translation(CONTEXT);
    const { run } = found('active', { ats: '1', processedOn: '5' });
    if (run !== null) translation.keep(run);
    // The fifth of these is the last that the hash had seen.
    const batch = entries(['added'], ['waiting'], ACTIVE, BACK, ['stalled'], ACTIVE);
    expect(gist(take(translation, batch, null))).toEqual(['started 2']);
  });
});
