import type { Emitter } from '@jobwarden/client';
import { parseRunId, runOf } from '../run-id.js';
import { queueKeys, type QueueKeys } from '../keys.js';
import type { Entry } from './entry.js';
import type { FactContext, TapFact } from './facts.js';
import { include, type Place } from './include.js';
import { LockWatch } from './locks.js';
import { PIPELINE_JOBS, type Reader } from './reader.js';
import { Returned } from './returned.js';
import { attemptOf, type Run } from './run.js';
import { room, type KnownRun } from '@jobwarden/client/tapping';
import { BEFORE_ALL, compareIds, type StreamId } from './stream-id.js';
import { Translation } from './translate.js';

export interface QueueTapOptions extends FactContext {
  readonly prefix: string;
  /** Ended jobs of each kind, completed and failed, that a snapshot takes in, the newest first. */
  readonly history: number;
  readonly reader: Reader;
  readonly emitter: Pick<Emitter, 'tell' | 'stats'>;
  /** Jobwarden's unfinished runs of this queue, in pages; null: nobody says. */
  readonly known: ((signal: AbortSignal) => AsyncIterable<readonly KnownRun[]>) | null;
  readonly nowMs: () => number;
}

/** Locks that are looked at in one turn. */
const LOOKS = 1_000;
/** No more often than this: a busy stream makes many turns a second. */
const LOOK_PAUSE_MS = 50;
/** Jobs whose being there is checked at a time: 2,000 a second. */
const CHECKS = 500;
const CHECK_PAUSE_MS = 250;
const CHECK_EVERY_MS = 300_000;

/** One queue: what is there, then what happens. */
export class QueueTap {
  readonly queue: string;
  readonly keys: QueueKeys;
  /** The last entry that was taken. */
  position: StreamId = BEFORE_ALL;
  /** When the last snapshot began. */
  snapshotMs = 0;
  private readonly translation: Translation;
  private readonly watch: LockWatch;
  /** What was known when a snapshot began that has not been completed. */
  private before: ReadonlyMap<string, Run> | null = null;
  private toCheck: Run[] = [];
  private checkedMs: number;
  private lookedMs = 0;
  /** Jobs that are not there, with the stream's last entry at that time. */
  private readonly missing = new Map<Run, StreamId>();

  constructor(private readonly options: QueueTapOptions) {
    this.queue = options.queue;
    this.keys = queueKeys(options.queue, options.prefix);
    this.translation = new Translation(options);
    this.watch = new LockWatch(options, this.translation);
    this.checkedMs = options.nowMs();
  }

  /** Runs that have not ended. */
  get unfinished(): number {
    return this.translation.runs.size;
  }

  /** How long the stream may be waited for, ms: locks want to be looked at in time. */
  get patienceMs(): number {
    return this.translation.active.size === 0 ? 1_000 : Math.max(20, Math.min(250, this.watch.everyMs / 4));
  }

  /**
   * What is there. The stream's end is read first: what happens meanwhile is in the hashes, in the stream, or in both, and
   * an entry that a hash holds already is passed over.
   */
  async snapshot(signal: AbortSignal): Promise<void> {
    const { reader, known } = this.options;
    const { runs } = this.translation;
    this.snapshotMs = this.options.nowMs();
    this.before ??= new Map(runs);
    this.translation.forget();
    this.position = await reader.lastEntry(this.keys);
    for await (const [place, nativeIds] of this.places()) {
      for (let i = 0; i < nativeIds.length && !signal.aborted; i += PIPELINE_JOBS) {
        await this.takeIn(place, nativeIds.slice(i, i + PIPELINE_JOBS));
      }
      await room(this.options.emitter, signal);
      if (signal.aborted) return;
    }
    const returned = new Returned(this.options, this.keys, this.position);
    const absent = [...this.before.values()].filter((run) => runs.get(run.nativeId)?.jobId !== run.jobId);
    await returned.settle(absent.map((run) => ({ run, attempt: attemptOf(run) })));
    this.before = null;
    if (known === null) return;
    for await (const page of known(signal)) {
      await returned.settle(page.flatMap(({ id, attempt }) => this.unseen(id, attempt)));
      await room(this.options.emitter, signal);
    }
  }

  private tell(facts: readonly TapFact[]): void {
    for (const fact of facts) this.options.emitter.tell(fact);
  }

  /** A run of this queue that Jobwarden takes for unfinished and the snapshot has not found so. */
  private unseen(jobId: string, attempt: number): { run: { nativeId: string; createdMs: number }; attempt: number }[] {
    const native = parseRunId(jobId);
    if (native === null || runOf(native.nativeId, native.createdMs).jobId !== jobId) return [];
    return this.translation.runs.get(native.nativeId)?.jobId === jobId ? [] : [{ run: native, attempt }];
  }

  private async *places(): AsyncGenerator<readonly [Place, readonly string[]]> {
    const { reader, history } = this.options;
    const { keys } = this;
    for (const key of [keys.completed, keys.failed]) {
      yield [key === keys.completed ? 'completed' : 'failed', await reader.newest(key, history)];
    }
    for await (const page of reader.list(keys.active)) yield ['active', page];
    for (const key of [keys.wait, keys.paused]) for await (const page of reader.list(key)) yield ['waiting', page];
    for (const key of [keys.prioritized, keys.waitingChildren]) for await (const page of reader.set(key)) yield ['waiting', page];
    for await (const page of reader.set(keys.delayed)) yield ['delayed', page];
  }

  private async takeIn(place: Place, nativeIds: readonly string[]): Promise<void> {
    const { reader } = this.options;
    const { runs } = this.translation;
    const locks = place === 'active' ? await reader.locks(this.keys, nativeIds) : new Map<string, never>();
    const { jobs, asOf } = await reader.jobs(this.keys, nativeIds, place === 'failed' || place === 'delayed' || place === 'waiting');
    for (const [nativeId, job] of jobs) {
      // Ended since its list was read: the stream tells it, or nobody does.
      if (job === null || (job.finishedMs !== null && place !== 'completed' && place !== 'failed')) continue;
      if (runs.get(nativeId)?.createdMs === job.createdMs) continue;
      const { run, facts } = include(this.options, { nativeId, place, job, lock: locks.get(nativeId) ?? null, asOf });
      if (run !== null) this.translation.keep(run);
      this.tell(facts);
    }
  }

  /** New entries, in order. */
  async take(entries: readonly Entry[], full: boolean): Promise<void> {
    // `waiting` and `stalled` are written by one script and belong together; a full batch may end between the two.
    const batch = full && entries.at(-1)?.event === 'waiting' && entries.length > 1 ? entries.slice(0, -1) : entries;
    const { reader, nowMs } = this.options;
    const named = new Set<string>();
    const stacks = new Set<string>();
    const starts = new Set<string>();
    for (const { event, nativeId, prev } of batch) {
      if (nativeId === '' || UNREAD.has(event) || (event === 'waiting' && prev === '' && this.translation.runs.has(nativeId))) continue;
      named.add(nativeId);
      if (event === 'failed' || event === 'delayed' || (event === 'waiting' && prev === 'active')) stacks.add(nativeId);
      if (event === 'active') starts.add(nativeId);
      // The lock of one that has left again since is none of this start's.
      else starts.delete(nativeId);
    }
    const jobs = await reader.hashes(this.keys, [...named], stacks);
    // Far behind, a lock may be that of a later start.
    const locks = await reader.locks(this.keys, full ? [] : [...starts]);
    const lockedMs = nowMs();
    this.tell(this.translation.take(batch, { jobs, locks }));
    this.position = batch.at(-1)?.id ?? this.position;
    const started = [...starts].flatMap((id) => this.translation.runs.get(id) ?? []).filter((run) => run.state === 'active');
    if (!full) this.watch.seen(started, locks, lockedMs);
    if (batch.some((entry) => entry.event === 'cleaned')) this.checkedMs = 0;
  }

  /** To be called before the stream is read. */
  mature(): void {
    this.watch.mature();
  }

  /** To be called once the stream has been read: says what was seen of locks before, and looks at those that are due. */
  async look(): Promise<void> {
    const { reader, nowMs } = this.options;
    this.tell(this.watch.beats(nowMs()));
    if (nowMs() - this.lookedMs < LOOK_PAUSE_MS) return;
    this.lookedMs = nowMs();
    const due = this.watch.due(nowMs(), LOOKS);
    if (due.length === 0) return;
    const locks = await reader.locks(this.keys, due.map((run) => run.nativeId));
    this.watch.seen(due, locks, nowMs());
  }

  /**
   * Jobs can go without a word (`drain`, `obliterate`, a key that somebody deletes), so each is asked for every five
   * minutes. One that has ended just now is told by the stream: what is missing waits until that was read so far.
   */
  async check(): Promise<void> {
    const { reader, nowMs } = this.options;
    const { runs } = this.translation;
    for (const [run, tail] of this.missing) {
      if (compareIds(this.position, tail) < 0) continue;
      this.missing.delete(run);
      if (runs.get(run.nativeId) === run) this.tell([this.translation.gone(run, nowMs())]);
    }
    if (nowMs() - this.checkedMs < (this.toCheck.length === 0 ? CHECK_EVERY_MS : CHECK_PAUSE_MS)) return;
    if (this.toCheck.length === 0) this.toCheck = [...runs.values()];
    this.checkedMs = nowMs();
    const some = this.toCheck.splice(0, CHECKS).filter((run) => runs.get(run.nativeId) === run);
    const missing = new Set(await reader.missing(this.keys, some.map((run) => run.nativeId)));
    if (missing.size === 0) return;
    const tail = await reader.lastEntry(this.keys);
    for (const run of some) if (missing.has(run.nativeId)) this.missing.set(run, tail);
  }

  async depth(): Promise<void> {
    const { reader, nowMs } = this.options;
    const { waiting, oldest, paused } = await reader.depth(this.keys);
    const createdMs = oldest === null ? undefined : this.translation.runs.get(oldest)?.createdMs;
    const oldestAgeMs = createdMs === undefined ? undefined : Math.max(0, nowMs() - createdMs);
    const data = { waiting, paused, ...(oldestAgeMs !== undefined && { oldestAgeMs }) };
    this.options.emitter.tell({ type: 'queue-state', queue: this.queue, data });
  }

  /** The stream was trimmed beyond what was taken: what happened in between has to be looked for. */
  async isTrimmed(): Promise<boolean> {
    if (this.before !== null) return true;
    if (this.position === BEFORE_ALL) return false;
    const first = await this.options.reader.firstEntry(this.keys);
    return first !== null && compareIds(first, this.position) > 0;
  }

  /** Or it began anew, in another Redis or after `obliterate`, with what would pass for old. */
  async hasGap(): Promise<boolean> {
    return (await this.isTrimmed()) || compareIds(await this.options.reader.lastEntry(this.keys), this.position) < 0;
  }
}

/** For these the entry itself says all. */
const UNREAD: ReadonlySet<string> = new Set(['stalled', 'removed', 'progress', 'duplicated', 'deduplicated', 'retries-exhausted']);
