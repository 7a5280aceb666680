import { LearnedThresholds, Loop, RebuildSchedules, type LogStore, type PolicySource } from '#libs/application';
import { PgLearnedStore, type Database } from '#libs/postgres';
import type { Logger } from 'pino';

export interface LearningParts {
  readonly database: Database;
  readonly log: LogStore;
  /** With what is learned here. */
  readonly policies: () => PolicySource;
  readonly logger: Logger;
}

export interface BuiltLearning {
  readonly thresholds: LearnedThresholds;
  readonly loop: { start(): void; stop(): Promise<void> };
}

/** A run is not judged by less than it was this long ago: far less than any threshold that is learned. */
const LEARN_EVERY_MS = 20_000;

/** How long runs may take, learned from those before, on every replica. */
export function buildLearning({ database, log, policies, logger }: LearningParts): BuiltLearning {
  const store = new PgLearnedStore(database);
  const ending = new AbortController();
  const thresholds = new LearnedThresholds(store, {
    reschedule: async (queue) => {
      const done = await new RebuildSchedules(store, log, policies()).run({ queues: [queue], signal: ending.signal });
      if (done.rescheduled > 0) logger.info({ ...queue, ...done }, 'runs are given less time than before: schedules were worked out again');
    },
  });
  const loop = new Loop(() => thresholds.turn(), {
    idleMs: LEARN_EVERY_MS,
    onError: (error) => logger.warn({ err: error }, 'learning from run times failed, and is repeated'),
  });
  return {
    thresholds,
    loop: {
      start: () => loop.start(),
      stop: async () => {
        ending.abort();
        await loop.stop();
      },
    },
  };
}
