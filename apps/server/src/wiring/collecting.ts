import type { LaneClock, PublishingReport, ReadModels } from '#libs/application';
import type { HotKeys, Metrics } from '#libs/observability';
import { PgBoardReads, PgDeadLetterShelf, PgDueStore } from '#libs/postgres';
import type { Logger } from 'pino';
import { BoardFigures, type BoardParts } from '../metrics/board-figures.js';
import { Collector, type CollectorParts } from '../metrics/collector.js';
import type { Databases } from './databases.js';

export interface CollectingParts {
  readonly databases: Databases;
  readonly reads: ReadModels;
  readonly incidents: CollectorParts['incidents'];
  readonly baselines: BoardParts['baselines'];
  readonly revisions: BoardParts['revisions'];
  readonly publishing: PublishingReport;
  readonly hotQueues: HotKeys;
  readonly kafkaConnected: () => boolean | null;
  readonly clock: LaneClock;
  readonly metrics: Metrics;
  readonly replicaId: string;
  readonly log: Logger;
}

/** What is read at the scrape. */
export function buildCollector({ databases, reads, baselines, revisions, ...parts }: CollectingParts): Collector {
  return new Collector({
    ...parts,
    queues: reads.queues,
    lanes: reads.workers,
    boards: new BoardFigures({ metrics: parts.metrics, reads: new PgBoardReads(databases.reads), baselines, revisions }),
    deadLetters: new PgDeadLetterShelf(databases.reads),
    // Its own: a scrape must not take the reconciler's turn through the queues.
    due: new PgDueStore(databases.reads),
    pools: () => databases.all.map((database) => database.poolFigures),
  });
}
