import { TracedLog, type LogStore, type Traces } from '#libs/application';
import { runningTraces } from '#libs/observability';

/** Where spans go; undefined: nobody collects them, and nothing is done for it. */
export function traces(): Traces | undefined {
  return runningTraces() ?? undefined;
}

export function tracedLog(log: LogStore): LogStore {
  const running = runningTraces();
  return running === null ? log : new TracedLog(log, running);
}
