/** Why it goes wrong. */
export const CAUSES = [
  'poison_job',
  'bad_revision',
  'lock_contention',
  'connection_exhaustion',
  'downstream_outage',
  'memory',
  'overload',
  'race',
  'unknown',
] as const;
export type Cause = (typeof CAUSES)[number];

export interface Assessment {
  readonly cause: Cause;
  /** What is to blame: a revision, `namespace/queue/id` of a job, an error code, a lock's resource, a host; null: unknown, overload. */
  readonly subject: string | null;
  /** 0 to 1. */
  readonly confidence: number;
  /** Arrivals are normal, and it goes on. */
  readonly selfSustained: boolean;
  readonly action: CauseAction;
  /** For people, the strongest first. */
  readonly evidence: readonly Evidence[];
}

/** What an assessment leads to. Only a bad revision is rolled back, and only where little doubt is left. */
export type CauseAction = 'rollback' | 'dead-letter' | 'throttle' | 'escalate';

export interface Evidence {
  /** A sentence. */
  readonly says: string;
  readonly figures: Readonly<Record<string, number | string>>;
}

/** What one cause makes of a window. */
export interface Finding {
  readonly cause: Cause;
  readonly subject: string | null;
  /** 0 to 1: how much of what fails it explains, times how surely its marks mean it. */
  readonly confidence: number;
  /** Other findings are its effects, from 0.5 on. */
  readonly outweighs?: boolean;
  /** What speaks for it, and against it. */
  readonly evidence: readonly Evidence[];
}

/** Nothing speaks for it. */
export function nothingOf(cause: Cause): Finding {
  return { cause, subject: null, confidence: 0, evidence: [] };
}
