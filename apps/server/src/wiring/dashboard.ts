import { Changes, Loop, QueueSampler } from '#libs/application';
import { PgChangeStore, PgOverviewReads, PgQueueSampleStore } from '#libs/postgres';
import type { Logger } from 'pino';
import type { OverviewParts, Services } from '../services.js';
import type { Databases } from './databases.js';

export interface DashboardParts {
  readonly databases: Pick<Databases, 'reads' | 'loops'>;
  readonly replicaId: string;
  readonly baselines: OverviewParts['baselines'];
  readonly gates: OverviewParts['gates'];
  readonly log: Logger;
}

/** Told over and over, it would fill the log. */
const WARNED_EVERY_MS = 60_000;
/** A sample is one a minute; this is how soon after its beginning it is taken, and how soon another replica goes on. */
const SAMPLES_LOOK_MS = 5_000;

/** What only pages ask for: that something changed, and everything at a glance. */
export function buildDashboard({ databases: { reads, loops }, replicaId, baselines, gates, log }: DashboardParts): {
  readonly services: Pick<Services, 'changes' | 'overview'>;
  readonly sampling: Loop;
} {
  let warnedMs = -Infinity;
  const changes = new Changes(new PgChangeStore(reads), {
    onError: (error) => {
      if (performance.now() - warnedMs < WARNED_EVERY_MS) return;
      warnedMs = performance.now();
      log.warn({ err: error }, 'changes cannot be read; the dashboard does not notice them');
    },
  });
  const sampler = new QueueSampler(new PgQueueSampleStore(loops), replicaId);
  const sampling = new Loop(() => sampler.turn(), {
    idleMs: SAMPLES_LOOK_MS,
    onError: (error) => log.warn({ err: error }, 'samples of the queues could not be taken, and are tried again'),
  });
  return { services: { changes, overview: { reads: new PgOverviewReads(reads), baselines, gates } }, sampling };
}
