import type { WorkerOptions } from 'bullmq';
import type { Figure, Findings, Progress } from '../../../figures/report.js';
import type { KillStage } from '../kill-stage.js';

/** How long things take: BullMQ's defaults, or a twentieth of them. */
export interface Bounds {
  /** BullMQ's lock, its interval of stall checks and Jobwarden's lease: the same for all three, as by default. */
  readonly leaseMs: number;
  readonly graceMs: number;
  /** Of BullMQ's workers. None: the real defaults are BullMQ's own. */
  readonly options: Partial<WorkerOptions>;
  readonly kills: number;
  /** How often the figure of two ways side by side is taken. */
  readonly times: number;
}

/** What a figure of the BullMQ report gets. */
export interface Killing extends Progress {
  readonly bounds: Bounds;
  readonly stage: KillStage;
}

export type BullmqFigure = Figure<Killing>;
export type BullmqFindings = Findings;

export const seconds = (ms: number): string => (ms / 1_000).toFixed(1);
