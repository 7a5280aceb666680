import type { Scenario } from '../scenario.js';

export interface Verdict {
  readonly cause: string;
  /** A revision, `namespace/queue/id` of a job, or whatever else the rule names; null: nothing. */
  readonly subject: string | null;
  readonly action: string;
  /** Left out by those that do not say. */
  readonly selfSustained?: boolean;
}

/** A rule that says what was wrong, from the log alone. */
export interface Judge {
  readonly name: string;
  /** Whether it also says who: then a right cause of the wrong one is wrong. */
  readonly names: boolean;
  judge(seen: Pick<Scenario, 'log' | 'queues' | 'beginMs' | 'askedMs'>): Verdict;
}
