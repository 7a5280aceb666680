import type { Level, QueuePolicy, StuckAfter } from '#libs/domain';

/** The settings of one layer of the policy file, by the name they have there. Durations in ms. */
export interface PolicySettings {
  readonly 'actions.retry': Level;
  readonly 'actions.requeue': Level;
  readonly 'actions.deadLetter': Level;
  readonly 'actions.throttle': Level;
  readonly 'actions.rollback': Level;
  readonly owner: QueuePolicy['owner'];
  readonly ownerWait: number;
  readonly claims: QueuePolicy['claims'];
  readonly idempotent: boolean;
  readonly dedupes: boolean;
  readonly heartbeatTransport: QueuePolicy['heartbeatTransport'];
  readonly heartbeats: QueuePolicy['heartbeats'];
  readonly lease: number;
  /** null = a third of the lease. */
  readonly heartbeatEvery: number | null;
  readonly grace: number;
  readonly stuckAfter: StuckAfter;
  readonly hardTimeout: number | null;
  readonly startBy: number;
  readonly maxRetries: number;
  readonly 'backoff.initial': number;
  readonly 'backoff.factor': number;
  readonly 'backoff.max': number;
  readonly 'backoff.jitter': number;
  readonly republish: number;
  readonly maxRedrives: number;
  readonly poisonAfter: number | null;
  readonly 'budget.perSecond': number;
  /** null = twice `perSecond`. */
  readonly 'budget.burst': number | null;
  readonly 'blackout.minWorkers': number;
  readonly 'blackout.share': number;
  readonly 'blackout.holdMax': number;
  readonly 'probing.share': number;
  readonly 'probing.probes': number;
  readonly 'probing.every': number;
  readonly 'saturation.ratio': number;
  readonly 'saturation.unprocessed': number;
  readonly 'saturation.for': number;
  readonly 'saturation.window': number;
  readonly 'saturation.minProcessed': number;
  readonly 'saturation.recoverBelow': number;
  readonly retention: number;
  readonly approvalFor: number;
  readonly fallback: boolean;
  readonly fallbackQueue: string | null;
  readonly schema: string | null;
  readonly 'rollback.target': string | null;
  readonly 'rollback.scaleToZero': boolean;
  readonly 'rollback.coolDown': number;
  readonly 'rollback.approval': boolean;
  readonly 'rollback.writesPerMinute': number;
  readonly 'rollback.watch': number;
  readonly 'rollback.onAbort': 'lift' | 'keep';
  readonly 'rollback.schema.databaseUrlEnv': string | null;
  readonly 'rollback.schema.query': string | null;
  readonly 'readmit.steps': readonly number[];
  readonly 'readmit.hold': number;
  readonly 'readmit.falls': number;
  readonly 'readmit.maxRatio': number;
  readonly 'readmit.minSample': number;
  readonly 'gate.alpha': number;
  readonly 'gate.margin': number;
  readonly 'gate.runTimeFactor': number | null;
  readonly 'gate.minSample': number;
  readonly 'gate.window': number;
}

export type SettingKey = keyof PolicySettings;
