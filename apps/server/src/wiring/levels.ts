import { Loop } from '#libs/application';
import type { Logger } from 'pino';

const EVERY_MS = 1_000;

/** What every replica reads anew each second, whatever its role: what people and other replicas have set meanwhile. */
export function levelsLoop(log: Logger, reads: readonly (() => Promise<void> | void)[]): Loop {
  const step = async (): Promise<boolean> => {
    for (const read of reads) await read();
    return false;
  };
  return new Loop(step, { idleMs: EVERY_MS, onError: (error) => log.warn({ err: error }, 'levels could not be read') });
}
