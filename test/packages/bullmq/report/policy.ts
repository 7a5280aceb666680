import type { Bounds } from './figure.js';

/** Queues of the figures; those of `kills` are many. */
export const QUEUES = { shadowed: 'shadowed', killed: 'killed', stopped: 'stopped', besides: 'beside', kills: 'kills', race: 'race' } as const;

export const queueOf = (name: string, i: number): string => `${name}-${String(i)}`;

/** What BullMQ takes for its second stall check besides two intervals, in parts of one: how long a worker's start takes. */
const LATER = [0, 0.05, 0.1, 0.15, 0.2] as const;

/**
 * Queues named `race-…` give BullMQ about as long as its second stall check takes, and no longer: Jobwarden steps in at the
 * moment in which BullMQ does, in some before and in some after.
 */
export function policyOf({ leaseMs, graceMs, kills, times }: Bounds): string {
  const act = 'actions: act, claims: required';
  const recovered = 'owner: queue, actions: act, idempotent: true';
  const many = Array.from({ length: kills }, (_, i) => i);
  return [
    `defaults: {lease: ${String(leaseMs)}ms, grace: ${String(graceMs)}ms, backoff: {initial: 100ms, max: 100ms, jitter: 0}}`,
    'queues:',
    `  ${QUEUES.shadowed}: {owner: queue}`,
    `  ${QUEUES.killed}: {${act}}`,
    `  ${QUEUES.stopped}: {${act}}`,
    ...many.slice(0, times).map((i) => `  ${queueOf(QUEUES.besides, i)}: {${act}}`),
    ...many.map((i) => `  ${queueOf(QUEUES.kills, i)}: {${recovered}}`),
    ...many.map((i) => `  ${queueOf(QUEUES.race, i)}: {${recovered}, ownerWait: ${String(Math.round(leaseMs * (1 + (LATER[i % LATER.length] ?? 0))))}ms}`),
    '',
  ].join('\n');
}
