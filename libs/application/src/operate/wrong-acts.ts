import { JOBWARDEN, type Action } from '#libs/domain';
import type { Incidents, Told } from '../incidents/incidents.js';
import type { PolicySource } from '../ports/policy-source.port.js';
import type { VerdictStore, WrongAct } from '../ports/verdict-store.port.js';
import type { LevelOverrides } from './level-overrides.js';

type QueueName = Pick<WrongAct, 'namespace' | 'queue'>;

export interface WrongActParts {
  readonly store: Pick<VerdictStore, 'wrongActs' | 'answered'>;
  /** With the operators' levels over the file's. */
  readonly policies: PolicySource;
  readonly overrides: Pick<LevelOverrides, 'of' | 'refresh' | 'set'>;
  readonly incidents: Pick<Incidents, 'open' | 'resolve'>;
  /** After it was answered, once per act on all replicas. Must not throw. */
  readonly observer?: { wrong?(act: WrongAct): void; fellBack?(queue: QueueName, action: Action): void };
}

const PER_STEP = 200;

/**
 * What follows when an act proves wrong: an attempt that was given up at act beats again, or ends by itself.
 *
 *   act ──wrong──► observe, set by `jobwarden`, and an incident ──an operator──► act, and the incident is over
 *
 * One is enough: a reconciler that is wrong at scale is the incident. An act from before an operator last set the level
 * changes nothing any more: he knew. Answered acts are marked last, so a crash repeats what is harmless to repeat. Another
 * replica decides at act until it reads the levels again, a second at most.
 */
export class WrongActs {
  constructor(private readonly parts: WrongActParts) {}

  /** Answers whether there may be more. */
  async step(): Promise<boolean> {
    const { store, overrides, observer } = this.parts;
    const acts = await store.wrongActs(PER_STEP);
    if (acts.length === 0) return false;
    await overrides.refresh();
    for (const group of Map.groupBy(acts, (a) => `${a.namespace}\0${a.queue}\0${a.action}`).values()) {
      const [first] = group;
      if (first !== undefined) await this.answer(first, group);
    }
    const answered = new Set(await store.answered(acts.map((a) => a.id)));
    for (const act of acts) if (answered.has(act.id)) observer?.wrong?.(act);
    return acts.length >= PER_STEP;
  }

  /** An operator has set a level: back at act, or at approve, what the incident asked for is done. */
  async levelSet({ namespace, queue }: QueueName, action: Action, told: Told): Promise<void> {
    await this.parts.incidents.resolve('wrong_act', { namespace, queue, subject: action }, told);
  }

  private async answer({ namespace, queue, action }: WrongAct, acts: readonly WrongAct[]): Promise<void> {
    const { policies, overrides, incidents, observer } = this.parts;
    const ref = { namespace, queue };
    const { policy, levels } = policies.policyFor(ref, null);
    const setMs = overrides.of(ref).find((o) => o.action === action && o.level === levels[action])?.setMs ?? -1;
    const fresh = acts.filter((a) => a.level === 'act' && a.atMs > setMs);
    const falls = policy.fallback && levels[action] === 'act' && fresh.length > 0;
    const [worst = acts[0]] = fresh;
    const what = worst === undefined ? 'an attempt that was given up' : sentenceOf(worst);
    const reason = falls ? `${what}; ${action} is back at observe` : what;
    const evidence = { acts: acts.slice(0, 10).map(evidenceOf), found: acts.length, fellBack: falls };
    if (falls) {
      await overrides.set(ref, { action, level: 'observe', reason, by: JOBWARDEN });
      observer?.fellBack?.(ref, action);
    }
    await incidents.open('wrong_act', { ...ref, subject: action }, { reason, evidence });
  }
}

function sentenceOf({ attempt, jobId, reason, decision }: WrongAct): string {
  return `attempt ${String(attempt)} of ${jobId.slice(0, 200)} was given up as ${reason} (${decision}) and showed that it was alive`;
}

function evidenceOf({ jobId, attempt, reason, decision, level, worker, atMs, gradedMs }: WrongAct) {
  return { id: jobId.slice(0, 500), attempt, reason, decision, level, worker, atMs, gradedMs };
}
