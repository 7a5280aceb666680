import { LEVELS, type Action, type JobRef, type Level } from '#libs/domain';
import type { LevelNow, QueueGuard } from '../ports/guard-store.port.js';
import type { LockedBatch } from '../ports/log-store.port.js';
import type { PolicySource, ResolvedPolicy } from '../ports/policy-source.port.js';
import { overlay } from './overlay.js';

type Operated = Pick<QueueGuard, 'gate' | 'levels'>;

/**
 * The policies with what operators had set by this transaction. What is in memory is a second old, and of a replica that was
 * halted as old as the halt was long: woken, it would act at a level that a person has taken back, and put jobs into a queue
 * that is paused. Of memory and transaction the more careful one counts, so what is let out again is so with the next reading.
 */
export function asLocked(policies: PolicySource, { guards, jobs }: Pick<LockedBatch, 'guards' | 'jobs'>): PolicySource {
  const operated = new Map<string, Operated>();
  for (const { ref, queueId } of jobs.values()) {
    const guard = guards?.get(queueId);
    if (guard !== undefined && (guard.gate === 'paused' || guard.levels.length > 0)) operated.set(keyOf(ref), guard);
  }
  if (operated.size === 0) return policies;
  return overlay(policies, (resolved, ref) => {
    const found = operated.get(keyOf(ref));
    return found === undefined ? resolved : careful(resolved, found, policies.policyFor(ref, null).policy.levels);
  });
}

function careful(resolved: ResolvedPolicy, { gate, levels }: Operated, file: Readonly<Record<Action, Level>>): ResolvedPolicy {
  const lowered = { ...resolved.levels };
  for (const { action, level, fileLevel } of levels) if (fileLevel === file[action]) lowered[action] = lower(level, lowered[action]);
  const paused = gate === 'paused' && resolved.gate?.gate !== 'paused';
  return { ...resolved, levels: lowered, ...(paused && { gate: { gate: 'paused', resumedMs: resolved.gate?.resumedMs ?? 0 } }) };
}

function lower(a: LevelNow['level'], b: Level): Level {
  return LEVELS.indexOf(a) < LEVELS.indexOf(b) ? a : b;
}

function keyOf({ namespace, queue }: Pick<JobRef, 'namespace' | 'queue'>): string {
  return `${namespace}\0${queue}`;
}
