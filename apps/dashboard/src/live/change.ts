/** What something can be told of by the stream `changes`. */
export type ChangeKind = 'job' | 'queue' | 'verdict' | 'run' | 'incident' | 'dead-letters' | 'redrive' | 'quarantine' | 'installation' | 'signal' | 'maintenance' | 'revision';

/** A note: something of this kind is not what it was. Members that are left out: of any. */
export interface Change {
  readonly what: ChangeKind;
  readonly namespace?: string;
  readonly queue?: string;
  /** Of the job or the incident. */
  readonly id?: string;
}

/** What a query shows, in the same words. */
export type ChangeFilter = Change;

/** Whether what is told may touch what is shown: a member that either leaves out may be any. */
export function touches(change: Change, filter: ChangeFilter): boolean {
  if (change.what !== filter.what) return false;
  return (['namespace', 'queue', 'id'] as const).every(
    (name) => change[name] === undefined || filter[name] === undefined || change[name] === filter[name],
  );
}
