/** What changed, read from what is committed: it makes no difference which replica wrote it. */
export interface ChangeStore {
  /** How far everything has got. Cheap enough to be asked twice a second. */
  marks(): Promise<ChangeMarks>;
  /** Whose events lie behind `after` and up to `upTo`; both by shard. */
  touched(after: readonly number[], upTo: readonly number[]): Promise<Touched>;
  /** Queues with verdicts behind `after`, at most `limit`. */
  judged(after: number, limit: number): Promise<readonly { readonly namespace: string; readonly queue: string }[]>;
}

/** Of what has no events in the log: any difference means that something changed. */
export const MARKED = ['redrive', 'run', 'quarantine', 'dead-letters', 'incident', 'installation', 'signal', 'maintenance', 'revision'] as const;
export type Marked = (typeof MARKED)[number];

export interface ChangeMarks {
  /** By shard: number of the last event or step. */
  readonly numbers: readonly number[];
  /** Of the last verdict. */
  readonly verdict: number;
  readonly others: Readonly<Record<Marked, string>>;
}

export interface Touched {
  readonly jobs: readonly {
    readonly namespace: string;
    readonly queue: string;
    readonly id: string;
    /** It went to the dead letters, or out of them. */
    readonly letters: boolean;
  }[];
  readonly incidents: readonly {
    readonly id: string;
    /** null: of the whole installation. */
    readonly namespace: string | null;
    readonly queue: string | null;
  }[];
}
