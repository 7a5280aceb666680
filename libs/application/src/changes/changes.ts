import { MARKED, type ChangeMarks, type ChangeStore } from '../ports/change-store.port.js';
import type { StreamItem } from '../publish/streams.js';
import { pause, WakeSignal } from '../publish/wake-signal.js';
import { PendingChanges, type Change } from './pending-changes.js';

export interface ChangesOptions {
  /** Looks this often, and tells each reader at most so often, ms. Default 500. */
  readonly everyMs?: number;
  /** A sign of life when there is nothing else, ms. Default 15,000. */
  readonly aliveMs?: number;
  readonly onError?: (error: unknown) => void;
}

interface Reader {
  readonly pending: PendingChanges;
  readonly sees: (namespace: string | null) => boolean;
}

/** More new events than that between two looks are not looked at one by one. */
const MOST_EVENTS = 400;
const MOST_QUEUES = 40;
/** While so much happens, it is told of once in so many looks. */
const BLURRED_EVERY = 4;

/**
 * That something changed, for pages that then read it again. One look at the database for all readers of this process, whatever
 * replica wrote; none while nobody listens.
 *
 * It promises no more than this: who is told nothing may take what it shows for current, to a second or two. Nothing can be
 * resumed: whoever was away reads again what it shows. Notes may name too much, never too little.
 */
export class Changes {
  private readonly readers = new Set<Reader>();
  private readonly told = new WakeSignal();
  private running: { readonly end: AbortController; readonly first: Promise<ChangeMarks> } | null = null;
  private looks = 0;
  private blurredAt = -Infinity;

  constructor(
    private readonly store: ChangeStore,
    private readonly options: ChangesOptions = {},
  ) {}

  /** Ends when `signal` is aborted. The first item comes once nothing can be missed any more. */
  async *subscribe(namespaces: readonly string[] | 'all', signal: AbortSignal): AsyncGenerator<StreamItem, void, void> {
    const sees = (namespace: string | null) => namespaces === 'all' || (namespace !== null && namespaces.includes(namespace));
    const reader: Reader = { pending: new PendingChanges(), sees };
    this.readers.add(reader);
    try {
      await this.started();
      yield ALIVE;
      while (!signal.aborted) {
        const seen = this.told.version;
        if (reader.pending.empty) await this.told.wait(seen, this.options.aliveMs ?? 15_000, signal);
        if (isOver(signal)) return;
        yield reader.pending.empty ? ALIVE : { id: '', event: 'changes', data: JSON.stringify(reader.pending.take()) };
      }
    } finally {
      this.readers.delete(reader);
      if (this.readers.size === 0) this.stopped();
    }
  }

  private async started(): Promise<void> {
    const run = (this.running ??= this.begin());
    try {
      await run.first;
    } catch (error) {
      if (this.running === run) this.running = null;
      throw error;
    }
  }

  private stopped(): void {
    this.running?.end.abort();
    this.running = null;
  }

  private begin(): NonNullable<Changes['running']> {
    const end = new AbortController();
    const first = this.store.marks();
    first.then(
      (marks) => void this.look(marks, end.signal),
      () => undefined,
    );
    return { end, first };
  }

  /** What fails is looked at again: the marks stay where they were, so nothing is lost. */
  private async look(first: ChangeMarks, signal: AbortSignal): Promise<void> {
    let marks = first;
    while (await this.next(signal)) {
      try {
        const now = await this.store.marks();
        this.looks += 1;
        const { changes, numbers } = await this.between(marks, now);
        for (const change of changes) this.tell(change);
        marks = { ...now, numbers };
      } catch (error) {
        this.options.onError?.(error);
      }
    }
  }

  /** false: it is over. */
  private async next(signal: AbortSignal): Promise<boolean> {
    await pause(this.options.everyMs ?? 500, signal);
    return !signal.aborted;
  }

  /** With the numbers up to which has been told. */
  private async between(before: ChangeMarks, now: ChangeMarks): Promise<{ readonly changes: Change[]; readonly numbers: readonly number[] }> {
    const others = MARKED.filter((mark) => before.others[mark] !== now.others[mark]).map((what) => ({ what }));
    const ofLog = await this.ofLog(before, now);
    const changes = [...others, ...(ofLog ?? []), ...(await this.ofVerdicts(before, now))];
    return { changes, numbers: ofLog === null ? before.numbers : now.numbers };
  }

  /** null: not yet. */
  private async ofLog(before: ChangeMarks, now: ChangeMarks): Promise<Change[] | null> {
    const events = now.numbers.reduce((sum, number, shard) => sum + number - (before.numbers[shard] ?? 0), 0);
    // Fewer than before: the database was restored.
    if (events > MOST_EVENTS || events < 0) return this.blurred();
    if (events === 0) return [];
    const { jobs, incidents } = await this.store.touched(before.numbers, now.numbers);
    return [
      ...jobs.flatMap(({ letters, id, ...queue }): Change[] => [
        { what: 'job', ...queue, id },
        { what: 'queue', ...queue },
        ...(letters ? [{ what: 'dead-letters', ...queue } as const] : []),
      ]),
      // One of no queue may be about namespaces that not every reader sees.
      ...incidents.map(({ id, namespace, queue }): Change => (namespace === null ? { what: 'incident' } : { what: 'incident', namespace, ...(queue !== null && { queue }), id })),
    ];
  }

  private blurred(): Change[] | null {
    if (this.looks - this.blurredAt < BLURRED_EVERY) return null;
    this.blurredAt = this.looks;
    return [{ what: 'job' }, { what: 'queue' }, { what: 'dead-letters' }, { what: 'incident' }];
  }

  private async ofVerdicts(before: ChangeMarks, now: ChangeMarks): Promise<Change[]> {
    if (now.verdict === before.verdict) return [];
    const queues = await this.store.judged(before.verdict, MOST_QUEUES);
    if (queues.length >= MOST_QUEUES) return [{ what: 'verdict' }, { what: 'queue' }];
    return queues.flatMap((queue): Change[] => [
      { what: 'verdict', ...queue },
      { what: 'queue', ...queue },
    ]);
  }

  /** What is of no namespace tells nothing of one: everybody may know it. */
  private tell(change: Change): void {
    const readers = [...this.readers].filter(({ sees }) => change.namespace === undefined || sees(change.namespace));
    for (const { pending } of readers) pending.add(change);
    if (readers.length > 0) this.told.notify();
  }
}

const ALIVE: StreamItem = { id: '', event: 'alive', data: '{}' };

/** A call, so that the compiler does not take the loop's condition for still true after a wait. */
function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}
