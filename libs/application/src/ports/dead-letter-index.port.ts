import type { Pattern } from '#libs/domain';

/**
 * Dead letters by what they died of: a subscription on the log, with a position per shard. Any number of replicas may
 * sort at once; each letter is sorted once, since the position moves by compare-and-set in the same transaction.
 */
export interface DeadLetterIndex {
  /** The next ones of every shard, in the order of the log. Empty: everything is sorted. */
  unsorted(perShard: number): Promise<readonly UnsortedLetter[]>;
  /** Of each shard all or nothing; answers how many were sorted. Those of a shard that somebody else was quicker with are left out. */
  sort(letters: readonly SortedLetter[]): Promise<number>;
}

export interface UnsortedLetter {
  readonly shard: number;
  readonly number: number;
  /** Where the shard had been sorted up to. */
  readonly seen: number;
  readonly period: number;
  readonly keyHex: string;
  readonly queueId: number;
  readonly namespace: string;
  readonly queue: string;
  readonly kind: string | null;
  /** Lane time, ms. */
  readonly atMs: number;
  /** `data` of the decision, as JSON. */
  readonly data: string;
  /** By hash, as hex: the beginning of each stack that the decision names and that is still kept. */
  readonly stacks: ReadonlyMap<string, string>;
}

export interface SortedLetter extends Omit<UnsortedLetter, 'data' | 'stacks' | 'namespace' | 'queue'> {
  readonly attempt: number;
  readonly worker: string | null;
  readonly revision: string | null;
  readonly pattern: Pattern;
  /** Of 16 bytes, as hex. */
  readonly fingerprint: string;
  /** Where its queue has too many patterns already, it goes under this one: one for the whole queue. */
  readonly overflow: { readonly pattern: Pattern; readonly kind: null; readonly fingerprint: string };
}
