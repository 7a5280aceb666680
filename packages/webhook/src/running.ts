import type { StopCommand } from '@jobwarden/client';
import type { JobMessage } from './job-message.js';

interface Attempt {
  readonly attempt: number;
  readonly controller: AbortController;
}

/** The attempts that this process runs, for stops that come to it. */
export class Running {
  private readonly attempts = new Map<string, Set<Attempt>>();

  begin({ queue, id, attempt }: JobMessage): { readonly signal: AbortSignal; readonly ended: () => void } {
    const key = keyOf(queue, id);
    const one: Attempt = { attempt, controller: new AbortController() };
    const all = this.attempts.get(key) ?? new Set();
    this.attempts.set(key, all.add(one));
    const ended = (): void => {
      all.delete(one);
      if (all.size === 0) this.attempts.delete(key);
    };
    return { signal: one.controller.signal, ended };
  }

  /** A worker of another attempt ignores it. */
  stop({ subject, data: { queue, attempt, reason } }: StopCommand): void {
    for (const one of this.attempts.get(keyOf(queue, subject)) ?? []) {
      if (one.attempt === attempt) one.controller.abort(new Error(`stopped: ${reason}`));
    }
  }
}

function keyOf(queue: string, id: string): string {
  return JSON.stringify([queue, id]);
}
