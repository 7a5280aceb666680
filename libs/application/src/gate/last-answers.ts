import type { GateAnswer, GateRequest } from './canary-gate.js';

/** What was not asked for so long is told no more, ms: rollouts end, and nobody says so. */
const TOLD_FOR_MS = 3_600_000;
/** Whoever asks about ever new names must not fill the memory. */
const MOST = 200;

export interface LastAnswer {
  readonly answer: GateAnswer;
  /** Since 1970, ms. */
  readonly atMs: number;
}

type Seen = readonly string[] | 'all';

interface Kept extends LastAnswer {
  readonly seenBy: Seen;
}

/** What canary gates answered last, for whoever only wants to see it: a look of one's own would cost one. Of this process alone. */
export class LastAnswers {
  /** Oldest first. */
  private readonly kept = new Map<string, Kept>();

  constructor(private readonly nowMs: () => number) {}

  told({ scope, namespaces }: Pick<GateRequest, 'scope' | 'namespaces'>, answer: GateAnswer): void {
    // Of others what they judged: queues of a target that one may not see are part of the answer.
    const key = JSON.stringify([scope, scope.target === null ? 'all' : namespaces]);
    this.kept.delete(key);
    // No rollout goes on, or it was never one: names that nothing is known of are the asker's own.
    if (answer.canary === null) return;
    this.kept.set(key, { answer, seenBy: namespaces, atMs: this.nowMs() });
    for (const oldest of [...this.kept.keys()].slice(0, Math.max(0, this.kept.size - MOST))) this.kept.delete(oldest);
  }

  /** To whom sees these namespaces: of their queues, and of targets as judged for just them. Those that let nothing through first. */
  of(seen: Seen): readonly LastAnswer[] {
    const since = this.nowMs() - TOLD_FOR_MS;
    const told = [...this.kept.values()].filter(({ answer: { scope }, seenBy, atMs }) => {
      if (atMs < since) return false;
      if (scope.queue !== null) return seen === 'all' || seen.includes(scope.queue.namespace);
      return JSON.stringify(seenBy) === JSON.stringify(seen);
    });
    return told.reverse().sort((a, b) => weight(b) - weight(a));
  }
}

function weight({ answer: { verdict, pass, closed } }: LastAnswer): number {
  if (verdict === 'unhealthy') return 3;
  if (closed.length > 0) return 2;
  return pass ? 0 : 1;
}
