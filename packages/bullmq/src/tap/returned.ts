import type { QueueKeys } from '../keys.js';
import type { Entry } from './entry.js';
import { failedFact, goneFact, succeededFact, type TapFact } from './facts.js';
import { include } from './include.js';
import type { QueueTapOptions } from './queue-tap.js';
import { newRun } from './run.js';
import { entryMs, type StreamId } from './stream-id.js';
import { GONE } from './translate.js';

interface Unseen {
  readonly run: { readonly nativeId: string; readonly createdMs: number };
  readonly attempt: number;
}

/**
 * Runs that were unfinished when somebody last looked, and are not in the queue now: they ended while nobody did. How,
 * is in their hash, or in what the stream still holds, or cannot be known.
 */
export class Returned {
  private endings: Map<string, Entry> | null = null;

  constructor(
    private readonly options: QueueTapOptions,
    private readonly keys: QueueKeys,
    private readonly until: StreamId,
  ) {}

  async settle(unseen: readonly Unseen[]): Promise<void> {
    if (unseen.length === 0) return;
    const { reader, emitter } = this.options;
    const tell = (facts: readonly TapFact[]): void => facts.forEach((fact) => emitter.tell(fact));
    const { jobs, asOf } = await reader.jobs(this.keys, unseen.map(({ run }) => run.nativeId), true);
    for (const { run, attempt } of unseen) {
      const job = jobs.get(run.nativeId) ?? null;
      if (job !== null && job.createdMs === run.createdMs) {
        const place = await reader.ending(this.keys, run.nativeId);
        // Neither: it moves just now, and the stream says where to.
        if (place !== null) tell(include(this.options, { nativeId: run.nativeId, place, job, lock: null, asOf }).facts);
      } else {
        tell([this.fromStream(run, attempt, (await this.readEndings()).get(run.nativeId))]);
      }
    }
  }

  private fromStream({ nativeId, createdMs }: Unseen['run'], attempt: number, ending: Entry | undefined): TapFact {
    const run = newRun(nativeId, createdMs);
    run.starts = attempt - run.firstAttempt + 1;
    if (ending === undefined || entryMs(ending.id) < createdMs || ending.event === 'removed') {
      return goneFact(this.options, run, GONE, ending === undefined ? this.options.nowMs() : entryMs(ending.id));
    }
    const atMs = entryMs(ending.id);
    if (ending.event === 'completed') return succeededFact(this.options, run, { atMs, durationMs: null });
    return failedFact(this.options, run, { atMs, reason: ending.fields['failedReason'] ?? null, stack: null, final: true });
  }

  /** The last ending of each job that the stream still holds; read once, when it is needed. */
  private async readEndings(): Promise<Map<string, Entry>> {
    if (this.endings !== null) return this.endings;
    const endings = new Map<string, Entry>();
    for await (const page of this.options.reader.history(this.keys, this.until)) {
      for (const entry of page) if (ENDINGS.has(entry.event)) endings.set(entry.nativeId, entry);
    }
    this.endings = endings;
    return endings;
  }
}

const ENDINGS: ReadonlySet<string> = new Set(['completed', 'failed', 'removed']);
