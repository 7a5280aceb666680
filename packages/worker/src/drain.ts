import type { Attempt } from './attempt.js';

/**
 * Waits until nothing runs: what runs may go on for `graceMs`, then it is aborted, and left behind where it does not end.
 *
 *   running ──graceMs──► aborted (`drain`) ──stopGraceMs──► released
 */
export async function drained(running: () => Iterable<Attempt>, empty: () => Promise<void>, graceMs: number): Promise<void> {
  let late: NodeJS.Timeout | undefined;
  const overdue = new Promise<'late'>((resolve) => {
    late = setTimeout(() => resolve('late'), graceMs);
  });
  const outcome = await Promise.race([empty(), overdue]);
  clearTimeout(late);
  if (outcome !== 'late') return;
  for (const attempt of running()) attempt.stop('drain');
  await empty();
}

/** Drains when one of the signals comes, and then lets it do what it would have done. What it answers takes that back. */
export function drainOnSignals(signals: readonly NodeJS.Signals[], drain: () => Promise<void>): () => void {
  const listeners = signals.map((signal) => {
    const listener = () => {
      void drain().finally(() => {
        process.removeListener(signal, listener);
        process.kill(process.pid, signal);
      });
    };
    process.on(signal, listener);
    return () => void process.removeListener(signal, listener);
  });
  return () => {
    for (const remove of listeners) remove();
  };
}
