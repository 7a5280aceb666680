import { afterAll, beforeAll, expect, it } from 'vitest';
import { FINISHED, JOB_STATUSES, type JobStatus } from '#libs/domain';
import { useTestDatabase, waitUntil } from '#libs/testing';
import { addressesOf } from './hostile-names.fixture.js';
import { event, TestService, worker } from './service.fixture.js';

const POLICY = `
defaults: {heartbeats: none, stuckAfter: off, backoff: {initial: 1h, max: 1h}, grace: 1h, actions: act, idempotent: true, budget: {burst: 1000}}
queues: {failed: {actions: observe}}
budget: {burst: 1000}
`;
const w1 = worker('w1');
const error = { class: 'E', message: 'no' };

/** What is told and called until a job of the queue that is named after the status is in it. */
const LIVES: Readonly<Record<JobStatus, readonly Step[]>> = {
  queued: ['queued'],
  processing: ['queued', 'started'],
  'restart-requested': ['queued', 'started', { call: 'restart' }],
  // Nothing of that queue's is decided, so there a failure stays one.
  failed: ['queued', 'started', ['failed', { error }]],
  retrying: ['queued', 'started', ['failed', { error }]],
  requeued: ['queued', 'started', { call: 'restart' }, 'released'],
  // Nobody has told what it is that would be requeued.
  incomplete: ['started', { call: 'restart' }, 'released'],
  succeeded: ['queued', 'started', 'succeeded'],
  'dead-lettered': ['queued', 'started', ['failed', { error, retryable: false }]],
  cancelled: ['queued', { call: 'cancel' }],
  discarded: ['queued', { call: 'discard' }],
};
type Step = string | readonly [type: string, data: object] | { readonly call: string };

/** Whatever a job is called and wherever it stands: its GETs answer, and cancel works or says why not. */
export function everyJobAnswers(namesFor: (status: JobStatus) => readonly string[]): void {
  const database = useTestDatabase();
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start(database.url, POLICY);
  });
  afterAll(() => service.stop());

  /** The same step for all names at once. */
  async function step(queue: JobStatus, one: Step): Promise<void> {
    if (typeof one === 'object' && 'call' in one) {
      const answers = await Promise.all(namesFor(queue).map((id) => called(queue, id, one.call)));
      expect(answers.map((a) => a.status)).toEqual(namesFor(queue).map(() => 200));
      return;
    }
    const [type, data] = typeof one === 'string' ? [one, {}] : one;
    await service.send(...namesFor(queue).map((id) => event(type, id, { queue, ...(type !== 'queued' && w1), ...data })));
  }

  const called = (queue: string, id: string, call: string) => {
    const addresses = addressesOf(queue, id);
    return service.call('POST', addresses[addresses.length - 1]?.(call) ?? '', { body: { reason: 'test' } });
  };

  it.each(JOB_STATUSES)('C8: %s and under any name, is answered for at both addresses, and cancelled or 409', async (status) => {
    const names = namesFor(status);
    for (const one of LIVES[status]) await step(status, one);
    await waitUntil(`all are ${status}`, async () => {
      const { body } = await service.get(`/v1/jobs?queue=${status}&status=${status}&limit=1000`);
      return body.items.length === names.length;
    });
    await Promise.all(
      names.map(async (id) => {
        const answers = await Promise.all(addressesOf(status, id).map((address) => service.get(address())));
        for (const answer of answers) expect(answer, id).toMatchObject({ status: 200, body: { queue: status, id, status } });
        const cancelled = await called(status, id, 'cancel');
        if (FINISHED.has(status)) expect(cancelled, id).toMatchObject({ status: 409, body: { code: 'finished', job: { id, status } } });
        else expect(cancelled, id).toMatchObject({ status: 200, body: { status: 'cancelled' } });
        const now = FINISHED.has(status) ? status : 'cancelled';
        for (const address of addressesOf(status, id)) expect((await service.get(address())).body.status, id).toBe(now);
      }),
    );
  });
}
