import type { InvalidationEvent } from '#libs/contracts';
import type { Journal, TroubleReport } from './journal.js';
import { cacheKey, QUEUE } from './settings.js';
import { readStream } from './sse.js';
import { ResultCache, Results } from './result-cache.js';
import { TROUBLES } from './troubles.js';
import { reported, type Watching } from './watch.js';

/**
 * The job that is done while its cache still says pending:
 *
 *   asked too early ──► the cache holds "pending" ──► result stored, entry stale ──► invalidation ──► read anew: "done"
 */
export class StaleCache {
  private readonly results = new Results();
  private readonly cache = new ResultCache(this.results);
  private readonly key = cacheKey(TROUBLES.stale.jobId);
  private readonly settled = Promise.withResolvers<undefined>();
  private wasStale = false;
  private mended = false;

  constructor(private readonly journal: Journal) {}

  /** Somebody looks at the result before it is there: this is how a cache learns to say "pending". */
  askTooEarly(): void {
    this.journal.tell('', TROUBLES.stale.jobId, `somebody asks for the result, the cache keeps "${this.cache.read(this.key)}"`);
  }

  /** A worker has stored the result of a job. */
  stored(jobId: string, value: string): void {
    this.results.set(cacheKey(jobId), value);
    if (jobId !== TROUBLES.stale.jobId) return;
    this.wasStale = this.cache.read(this.key) !== value;
    if (this.wasStale) this.journal.tell('TROUBLE', jobId, `it is done, and the cache still says "${this.cache.read(this.key)}"`);
  }

  /** Follows the invalidations until the signal ends it. */
  async listen(baseUrl: string, signal: AbortSignal): Promise<void> {
    for await (const { event, data } of readStream(`${baseUrl}/v1/streams/invalidations?queue=${QUEUE}`, signal)) {
      if (event === 'reset') this.cache.clear();
      else this.invalidate(JSON.parse(data) as InvalidationEvent);
    }
  }

  async watch(watching: Watching): Promise<TroubleReport> {
    const beganMs = this.journal.elapsedMs;
    const late = Promise.withResolvers<undefined>();
    watching.signal.addEventListener('abort', () => late.resolve(undefined), { once: true });
    await Promise.race([this.settled.promise, late.promise]);
    return await reported(TROUBLES.stale, watching, {
      found: this.wasStale ? 'cache behind the log' : null,
      done: this.mended ? 'invalidated, then read anew' : null,
      tookMs: this.journal.elapsedMs - beganMs,
      settled: this.wasStale && this.mended,
    });
  }

  private invalidate({ data }: InvalidationEvent): void {
    if (!this.cache.invalidate(data).includes(this.key) || !this.wasStale) return;
    const { jobId, cause, position } = data;
    const place = `shard ${position.shard}, number ${position.number}`;
    this.journal.tell('FOUND', jobId, `its success asks for an invalidation (${cause}; ${place}): the entry is dropped`, TROUBLES.stale.page);
    const value = this.cache.read(this.key);
    this.mended = value === 'done';
    this.journal.tell('BACK', jobId, `the cache reads the result anew and says "${value}"`, TROUBLES.stale.page);
    this.settled.resolve(undefined);
  }
}
