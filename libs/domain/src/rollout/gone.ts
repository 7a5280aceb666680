import { JOBWARDEN_WRITER, type WorkloadSeen, type Writer } from './workload.js';
import { howMany, verb } from '../words/how-many.js';

export interface Gone {
  readonly gone: boolean;
  /** Pods that are left, those that are stopping included. */
  readonly left: number;
  readonly terminating: number;
}

/** Whether no pod of a revision is left; null: of any. By the pods and not by counters, which leave out those that are stopping. */
export function gone(seen: WorkloadSeen, revision: string | null): Gone {
  const pods = seen.pods.filter((pod) => revision === null || pod.revision === revision);
  return { gone: pods.length === 0, left: pods.length, terminating: pods.filter((pod) => pod.terminating).length };
}

/** How long, and in how many looks at least, no pod must be seen before a pool counts as isolated. */
export const ISOLATED_FOR_MS = 15_000;
export const ISOLATED_LOOKS = 3;

/** What is kept of each look while a pool is held at zero; stored as JSON, a few of them. */
export interface ZeroLook {
  readonly atMs: number;
  readonly wanted: number;
  readonly pods: number;
  readonly writer: Writer | null;
}

export function zeroLook(seen: WorkloadSeen, atMs: number): ZeroLook {
  return { atMs, wanted: seen.wanted, pods: seen.pods.length, writer: seen.writers.replicas };
}

/**
 * `bounced`: somebody wishes for pods again, after the write that took them away. `by` is who, as far as the object tells; that is an escalation and no
 * reason to scale down once more, since two controllers would then take turns.
 */
export type ZeroHold =
  | { readonly state: 'held' }
  | { readonly state: 'waiting'; readonly why: string }
  | { readonly state: 'bounced'; readonly by: string; readonly wanted: number };

/** Whether a pool that was scaled to zero stays there: by the looks since the write, the oldest first. */
export function heldAtZero(looks: readonly ZeroLook[]): ZeroHold {
  const last = looks.at(-1);
  if (last === undefined) return { state: 'waiting', why: 'not looked yet' };
  if (last.wanted > 0) return { state: 'bounced', by: bouncedBy(last), wanted: last.wanted };
  const from = looks.findLastIndex((look) => look.pods > 0 || look.wanted > 0) + 1;
  const empty = looks.slice(from);
  if (empty.length === 0) return { state: 'waiting', why: `${howMany(last.pods, 'pod')} ${verb(last.pods, 'is', 'are')} left` };
  const forMs = last.atMs - (empty[0]?.atMs ?? last.atMs);
  if (empty.length >= ISOLATED_LOOKS && forMs >= ISOLATED_FOR_MS) return { state: 'held' };
  return { state: 'waiting', why: `no pod in ${howMany(empty.length, 'look')} over ${String(forMs)} ms` };
}

function bouncedBy({ writer }: ZeroLook): string {
  return writer === null || writer.manager === JOBWARDEN_WRITER ? 'unknown' : writer.manager;
}
