import type { Bounds } from './figure.js';

/** Queues of the figures; those of `kills` are many. */
export const QUEUES = { shadowed: 'shadowed', killed: 'killed', stopped: 'stopped', besides: 'beside', kills: 'kills', race: 'race' } as const;

export const queueOf = (name: string, i: number): string => `${name}-${String(i)}`;

/**
 * Queues named `race-…` give BullMQ as long as its second stall check takes, and no longer: Jobwarden steps in at about the
 * moment in which BullMQ does.
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
    ...many.map((i) => `  ${queueOf(QUEUES.race, i)}: {${recovered}, ownerWait: ${String(leaseMs)}ms}`),
    '',
  ].join('\n');
}
