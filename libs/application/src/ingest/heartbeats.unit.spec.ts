import { describe, expect, it } from 'vitest';
import { parseContext, parseEvent, type ParsedWorkerHeartbeat } from '#libs/contracts';
import type { BeatAnswer, LeaseStore } from '../ports/lease-store.port.js';
import type { LogStore } from '../ports/log-store.port.js';
import { Heartbeats } from './heartbeats.js';

const JOBS = 40_000;
/** How often the job of an answer was asked for. */
let reads = 0;

/** All running, all under a lease: nothing to write in the log. */
const leases: LeaseStore = {
  renew: () => Promise.reject(new Error('one worker beats')),
  renewWorker: ({ jobs }) =>
    Promise.resolve(
      jobs.map(({ keyHex, heartbeat: { attempt } }): BeatAnswer => {
        const job = { status: 'processing', attempt, verdictMarks: 0 } as const;
        return {
          get keyHex() {
            reads += 1;
            return keyHex;
          },
          ...{ attempt, lease: true, token: null, job },
        };
      }),
    ),
};
const log: LogStore = { transact: () => Promise.reject(new Error('nothing is to be written')) };
const policies = { version: '1', policyFor: () => { throw new Error('no policy is asked for'); } };

describe('the beat of a worker', () => {
  it('is answered job by job, however many there are, without holding up everybody else', async () => {
    const jobs = Array.from({ length: JOBS }, (_, i) => ({ queue: 'q', id: `j${String(i)}` }));
    const event = {
      specversion: '1.0', id: '1', source: 's', subject: 'w', type: 'jobwarden.worker.heartbeat.v1',
      data: { worker: { id: 'w' }, jobs },
    };
    const parsed = parseEvent(event, parseContext({ hashKey: Buffer.alloc(32) })) as ParsedWorkerHeartbeat;
    const states = await new Heartbeats(log, leases, policies, 0).renewWorker(parsed, '00');
    // To look each job up among all the others would be a thousand times as many.
    expect(reads).toBeGreaterThanOrEqual(JOBS);
    expect(reads).toBeLessThan(10 * JOBS);
    expect(states.length).toBe(JOBS);
    expect(states.at(-1)).toEqual({ ref: { namespace: 'default', queue: 'q', id: `j${String(JOBS - 1)}` }, attempt: 1, state: 'go-on', refusal: null });
  });
});
