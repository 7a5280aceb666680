import type { WorkerOptions } from '@jobwarden/worker';

type Classify = NonNullable<WorkerOptions['classify']>;

/** Whether pg-boss itself will run it again. */
const verdicts = new WeakMap<object, boolean>();

export function noteVerdict(error: unknown, retryable: boolean): void {
  if (typeof error === 'object' && error !== null) verdicts.set(error, retryable);
}

/** The caller's own word first. */
export function verdictOf(own: Classify | undefined): Classify {
  return (error) => {
    const said = own?.(error);
    const retryable = typeof error === 'object' && error !== null ? verdicts.get(error) : undefined;
    return retryable === undefined ? said : { retryable, ...said };
  };
}
