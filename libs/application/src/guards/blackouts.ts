import { blackoutMove, howMany, howManyOf, JOBWARDEN, soleRelease } from '#libs/domain';
import type { Incidents } from '../incidents/incidents.js';
import type { DueJob, JobRefScope } from '../ports/due-store.port.js';
import type { BlackoutAsk, BlackoutEvidence, BlackoutStore, UntoldBlackout } from '../ports/guard-store.port.js';
import { readingFor, type LaneReading } from '../ports/lane-clock.port.js';
import type { PolicySource } from '../ports/policy-source.port.js';

export interface BlackoutParts {
  readonly store: BlackoutStore;
  readonly incidents: Pick<Incidents, 'openOn' | 'resolveOn'>;
  readonly policies: PolicySource;
}

/**
 * The blackout guard's eye on the queues, once per run of the reconciler and before it looks at any job.
 *
 * Clocks: lane time, as far as the lanes have been read; a gap of ours has moved the leases on before anybody is
 * counted. Any number of replicas: each move is made under the lock of the queue's row. Incidents follow the row, and
 * not the move: what dies in between is told by whoever comes next. It is told in the transaction that looks at the row
 * again, so whoever was halted with it in hand neither opens one for what is over nor ends the one of the next blackout.
 */
export class Blackouts {
  constructor(private readonly parts: BlackoutParts) {}

  async watch(due: readonly DueJob[], reading: LaneReading): Promise<void> {
    const { store } = this.parts;
    const queues = new Map<string, JobRefScope>();
    for (const { ref, waitsFor } of due) if (waitsFor !== null && SILENT.has(waitsFor)) queues.set(keyOf(ref), ref);
    // Also where nobody is due just now: what ends it must not wait for that.
    const held = await store.held();
    for (const queue of held) queues.delete(keyOf(queue));
    const suspects = await store.suspects([...queues.values()].map((queue) => this.askOf(queue, reading)));
    for (const ask of [...held.map((queue) => this.askOf(queue, reading)), ...suspects]) {
      const { blackout } = this.parts.policies.policyFor(ask.queue, null).policy;
      await store.assess(ask, (seen) => blackoutMove(seen, blackout));
    }
    await this.tell();
  }

  /** By a person, for the reason given. false: the queue's recovery is not held. */
  async release(queue: JobRefScope, told: { readonly by: string; readonly reason: string }): Promise<boolean> {
    const released = await this.parts.store.release(queue, told);
    if (released) await this.tell();
    return released;
  }

  private askOf({ namespace, queue }: JobRefScope, reading: LaneReading): BlackoutAsk {
    const { policy } = this.parts.policies.policyFor({ namespace, queue }, null);
    const { readMs, gapEndMs } = readingFor(reading, policy.heartbeatTransport);
    const { minWorkers, holdMaxMs } = policy.blackout;
    return {
      queue: { namespace, queue },
      leaseMs: policy.leaseMs,
      ...{ minWorkers, holdMaxMs, gapEndMs, readMs },
      kafkaReadMs: reading.kafka?.readMs ?? null,
    };
  }

  private async tell(): Promise<void> {
    for (const untold of await this.parts.store.untold()) {
      const { namespace, queue, sinceMs } = untold;
      const about = { namespace, queue };
      const ground = { rests: 'on-blackout', queue: about, sinceMs } as const;
      if (sinceMs === null) await this.parts.incidents.resolveOn(ground, 'blackout', about, endOf(untold));
      else await this.parts.incidents.openOn(ground, 'blackout', about, beginningOf(untold));
    }
  }
}

function keyOf({ namespace, queue }: JobRefScope): string {
  return `${namespace}\0${queue}`;
}

/** What a job waits for whose worker may turn out to be silent. */
const SILENT: ReadonlySet<string> = new Set(['lease', 'stuck-after', 'hard-timeout', 'grace', 'owner']);

function beginningOf({ queue, evidence }: UntoldBlackout): { readonly reason: string; readonly evidence: Record<string, unknown> } {
  // One that was kept by an older version has no releases.
  const { lostWorkers, workers, lostJobs, revisions } = { ...NO_EVIDENCE, ...evidence };
  const reason =
    `${howManyOf(lostWorkers, workers, 'worker')} of ${queue} fell silent within one lease, ` +
    `with ${howMany(lostJobs, 'job')}: recovery is held${releaseText(soleRelease(revisions, lostWorkers))}`;
  return { reason, evidence: { ...(evidence ?? NO_EVIDENCE) } };
}

function endOf({ endedBy, endedReason }: UntoldBlackout): { readonly reason: string; readonly by: string } {
  return { reason: endedReason ?? 'recovery goes on', by: endedBy ?? JOBWARDEN };
}

const NO_EVIDENCE: BlackoutEvidence = { lostWorkers: 0, workers: 0, share: 0, lostJobs: 0, windowMs: 0, names: [], revisions: [] };

function releaseText(revision: string | null): string {
  return revision === null ? '' : `. All of them are of release ${revision}, of which nobody beats, and others do`;
}

