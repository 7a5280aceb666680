import { describe, expect, it } from 'vitest';
import { Value } from 'typebox/value';
import { EnqueueCommand, StopCommand } from '#libs/contracts';
import { foldJob, type DecisionDraft, type JobEvent } from '#libs/domain';
import { fixedPolicies } from '#libs/testing';
import type { PolicySource } from '../ports/policy-source.port.js';
import { enqueueMessage, stopMessage } from './command-message.js';
import { addressees, deliverTo, fallbackOf } from './fallback-queue.js';
import { decision, intent, parsed, queued, REF, started } from './publish.fixture.js';

const REQUEUED: DecisionDraft = { kind: 'requeued', attempt: 2, token: 2, reason: 'lost', by: 'jobwarden' };
const first = [queued(), started(1, 'w1')];
const again = [...first, decision(1, REQUEUED)];

/** `mail` has the fallback `spare`, and `spare` one of its own. */
function policies(paused: readonly string[] = []): PolicySource {
  const [mail, spare, other] = ['spare', 'third', null].map((fallbackQueue) => fixedPolicies({ fallbackQueue }).policyFor(REF, null));
  return {
    version: '1',
    policyFor: ({ queue }) => {
      const resolved = (queue === 'mail' ? mail : queue === 'spare' ? spare : other) ?? fixedPolicies().policyFor(REF, null);
      return paused.includes(queue) ? { ...resolved, gate: { gate: 'paused', resumedMs: 0 } } : resolved;
    },
  };
}

function goesTo(events: readonly JobEvent[], source = policies()): string | null {
  return deliverTo(intent(...events), foldJob(events), fallbackOf(source));
}

describe('the queue whose workers a command is meant for', () => {
  it('is the fallback’s, of an attempt that was granted again, whoever asked for it', () => {
    expect(goesTo(again)).toBe('spare');
    const redriven = [...first, decision(1, { kind: 'redriven', attempt: 1, reason: 'operator', by: 'ada' }), decision(2, { ...REQUEUED, by: 'ada' })];
    expect(goesTo(redriven)).toBe('spare');
    expect(goesTo([...again, decision(2, { kind: 'republished', attempt: 2, reason: 'starved', by: 'jobwarden' })])).toBe('spare');
  });

  it('is the job’s own, of a first attempt and of what has no fallback', () => {
    expect(goesTo([queued(), decision(1, { kind: 'republished', attempt: 1, reason: 'operator', by: 'ada' })])).toBeNull();
    expect(goesTo(again, fixedPolicies())).toBeNull();
    expect(goesTo(again, fixedPolicies({ fallbackQueue: 'mail' }))).toBeNull();
  });

  it('is one hop away: the fallback’s own fallback is for its own jobs', () => {
    expect(fallbackOf(policies())({ namespace: 'acme', queue: 'mail' }, null)?.queue).toBe('spare');
    expect(fallbackOf(policies())({ namespace: 'acme', queue: 'third' }, null)).toBeNull();
  });

  it('is the job’s own while the fallback is paused, except for stops', () => {
    expect(goesTo(again, policies(['spare']))).toBeNull();
    expect(goesTo(again, policies(['mail']))).toBe('spare');
    const stop = decision(2, { kind: 'stop-requested', attempt: 2, reason: 'cancelled', by: 'jobwarden' });
    expect(goesTo([...again, stop], policies(['spare']))).toBe('spare');
  });

  it('is the job’s own for the stop of an attempt that was claimed without a command', () => {
    const stop = decision(2, { kind: 'stop-requested', attempt: 2, reason: 'cancelled', by: 'jobwarden' });
    expect(goesTo([...first, decision(1, { ...REQUEUED, reason: 'claim' }), stop])).toBeNull();
  });

  it('is told in the command, which keeps the job’s queue and the contract', () => {
    const state = foldJob(again);
    const nothing = { payload: null, progress: null, grant: null };
    const built = enqueueMessage(intent(...again), state, nothing, { invalidation: null, payloadLimitBytes: 1_000, deliverTo: 'spare' });
    expect(parsed(built.message).data).toMatchObject({ queue: 'mail', deliverTo: 'spare', attempt: 2 });
    expect([...Value.Errors(EnqueueCommand, JSON.parse(built.message))]).toEqual([]);
    const stopped = [...again, decision(2, { kind: 'stop-requested', attempt: 2, reason: 'cancelled', by: 'jobwarden' })];
    const stop = stopMessage(intent(...stopped), foldJob(stopped), 'spare');
    expect(parsed(stop).data).toMatchObject({ queue: 'mail', deliverTo: 'spare' });
    expect([...Value.Errors(StopCommand, JSON.parse(stop))]).toEqual([]);
    expect(parsed(stopMessage(intent(...stopped), foldJob(stopped))).data).not.toHaveProperty('deliverTo');
  });

  it('reads alone what is to be run, and together with the job’s own what is to be stopped', () => {
    expect(addressees('enqueue', 'mail', 'spare')).toEqual(['spare']);
    expect(addressees('stop', 'mail', 'spare')).toEqual(['mail', 'spare']);
    expect(addressees('enqueue', 'mail', null)).toEqual(['mail']);
  });
});
