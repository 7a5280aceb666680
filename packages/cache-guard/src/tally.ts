/** What has happened since the start. */
export class Tally {
  readonly hits = { l1: 0, l2: 0, /** Waited for a load of somebody else. */ shared: 0 };
  misses = 0;
  /** Loads that were stored. */
  stored = 0;
  /** Loads that were not stored: an invalidation came meanwhile, or the shared store went away. */
  overtaken = 0;
  /** Reads that asked the source, because the shared store was away. */
  bypassed = 0;

  /** As they stand now. */
  figures(): Figures {
    const { hits, misses, stored, overtaken, bypassed } = this;
    return { hits: { ...hits }, misses, stored, overtaken, bypassed };
  }
}

export type Figures = Pick<Tally, 'hits' | 'misses' | 'stored' | 'overtaken' | 'bypassed'>;
