import { TerminalError } from '../ports/errors.js';
import type { CompareStore } from '../ports/compare-store.port.js';
import type { CompareItem, Difference, Mender, MendRequest } from './difference.js';
import { judge, type Theirs } from './judge.js';
import { KeySet } from './key-set.js';
import { LIST_LIMITS, linesOf, type ListLimits } from './lines.js';
import { Tally } from './tally.js';
import { readLine, type LineRules, type TheirLine } from './their-line.js';

export interface CompareParts {
  readonly store: CompareStore;
  readonly mender: Mender;
  /** `ms`, or less when `signal` is aborted. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Of this process, monotonic, ms. */
  readonly nowMs: () => number;
}

export interface CompareRequest extends Omit<LineRules, 'lineBytes'> {
  /** The list names everything that is not finished in `queue`: what it does not name is a difference. */
  readonly complete: boolean;
  /** When the list was made, lane time ms; null: just before the comparison began. */
  readonly asOfMs: number | null;
  readonly mend: MendRequest | null;
}

export interface CompareOptions {
  readonly limits?: ListLimits;
  /** Jobs looked up at once. Default 500. */
  readonly chunk?: number;
  /** Differences that wait for their second look. Default 20,000. */
  readonly waiting?: number;
  /** Between the first and the second look at least, ms. Default 1,000. */
  readonly settleMs?: number;
}

interface Candidate {
  readonly found: Omit<Difference, 'kind' | 'ours'>;
  /** By this process' clock, ms. */
  readonly seenMs: number;
}

/**
 * Compares what somebody else believes with the rows, in one pass and in bounded memory.
 *
 *   line ──read──► chunk ──rows as they are now──► same
 *                                   └──► differs ──waits `settleMs`──► looked at again ──► difference, or moved
 *   at the end of a complete list: what is live in the queue and was not named ──► waits and is looked at again
 *
 * A job that merely moves is no difference. Two rules see to that: a status that holds only since after `asOf` says
 * nothing about a list made then; and what differs is looked at a second time, so that an event which was on its way
 * has arrived. Not guaranteed: an event that takes longer, and a list older than it says.
 *
 * Clocks: lane time for `asOf`; the process' own only for the pause. Failure: nothing is written but mends, each of
 * which is a decision of its own; a comparison that breaks off is simply repeated. Memory: one chunk, the waiting
 * differences, and for a complete list 34 bytes per line at most.
 */
export class Compare {
  private readonly options: Required<CompareOptions>;

  constructor(
    private readonly parts: CompareParts,
    options: CompareOptions = {},
  ) {
    this.options = { limits: LIST_LIMITS, chunk: 500, waiting: 20_000, settleMs: 1_000, ...options };
  }

  /** The summary comes last. Throws TerminalError `list_too_large`, `list_empty`; `interrupted` when `signal` ended it. */
  async *run(
    chunks: AsyncIterable<Uint8Array>,
    request: CompareRequest,
    signal: AbortSignal,
  ): AsyncGenerator<CompareItem, void, void> {
    const { limits } = this.options;
    const asOfMs = request.asOfMs ?? (await this.parts.store.laneNowMs());
    const pass = new Pass(this.parts, this.options, { request, asOfMs, signal });
    const rules: LineRules = { ...request, lineBytes: limits.lineBytes };
    let chunk: TheirLine[] = [];
    for await (const raw of linesOf(chunks, limits)) {
      const read = readLine(raw, rules);
      if ('reason' in read) {
        pass.tally.broken += 1;
        yield { type: 'broken', broken: read };
        continue;
      }
      chunk.push(read);
      if (chunk.length < this.options.chunk) continue;
      yield* pass.lines(chunk);
      chunk = [];
    }
    yield* pass.lines(chunk);
    if (pass.tally.compared + pass.tally.broken === 0 && !mayBeEmpty(request)) {
      throw new TerminalError('list_empty', 'The list is empty: nothing was compared.');
    }
    if (request.complete && request.queue !== null) yield* pass.unnamed(request.queue);
    yield* pass.settle(0);
    yield { type: 'summary', summary: pass.tally.summary(asOfMs) };
  }
}

/** A queue may well be empty there; but a list that broke off before its first line must not requeue everything. */
function mayBeEmpty({ complete, mend }: CompareRequest): boolean {
  return complete && mend === null;
}

/** What one comparison remembers. */
class Pass {
  readonly tally: Tally;
  private readonly named = new KeySet();
  private waiting: Candidate[] = [];

  constructor(
    private readonly parts: CompareParts,
    private readonly options: Required<CompareOptions>,
    private readonly of: { readonly request: CompareRequest; readonly asOfMs: number; readonly signal: AbortSignal },
  ) {
    this.tally = new Tally(of.request.mend !== null);
  }

  async *lines(chunk: readonly TheirLine[]): AsyncGenerator<CompareItem> {
    if (chunk.length === 0) return;
    this.tally.compared += chunk.length;
    if (this.of.request.complete) for (const { keyHex } of chunk) this.named.add(keyHex);
    await this.lookAt(chunk);
    yield* this.settle(this.options.waiting);
  }

  /** Live here and not named there. */
  async *unnamed(queue: string): AsyncGenerator<CompareItem> {
    const scope = { namespace: this.of.request.namespace, queue, untilMs: this.of.asOfMs };
    let after: string | null = null;
    do {
      const page = await this.parts.store.live(scope, { limit: this.options.chunk, after });
      const missing = page.items.filter((job) => !this.named.has(job.keyHex));
      const seenMs = this.parts.nowMs();
      for (const { keyHex, id } of missing) {
        const ref = { namespace: scope.namespace, queue, id };
        this.waiting.push({ found: { line: null, ref, keyHex, theirs: NOT_NAMED }, seenMs });
      }
      yield* this.settle(this.options.waiting);
      after = page.next;
    } while (after !== null);
  }

  /** Looks again at all but `most` of what waits, oldest first, once each has waited long enough. */
  async *settle(most: number): AsyncGenerator<CompareItem> {
    if (this.waiting.length <= most) return;
    // Half at once: else a list that differs throughout would wait for every chunk of it.
    let due = this.waiting.splice(0, Math.max(this.waiting.length - most, Math.ceil(this.waiting.length / 2)));
    if (most === 0) due = [...due, ...this.waiting.splice(0)];
    const last = due.at(-1)?.seenMs ?? 0;
    const waitMs = last + this.options.settleMs - this.parts.nowMs();
    if (waitMs > 0) await this.parts.pause(waitMs, this.of.signal);
    for (let at = 0; at < due.length; at += this.options.chunk) {
      this.checkSignal();
      yield* this.confirmed(due.slice(at, at + this.options.chunk).map((c) => c.found));
    }
  }

  private async lookAt(chunk: readonly TheirLine[]): Promise<void> {
    this.checkSignal();
    const standings = await this.parts.store.standings(chunk.map((l) => l.keyHex));
    const seenMs = this.parts.nowMs();
    for (const { line, ref, keyHex, theirs } of chunk) {
      const ours = standings.get(keyHex) ?? null;
      if (judge(theirs, ours) === null) this.tally.same += 1;
      else if (ours !== null && ours.sinceMs > this.of.asOfMs) this.tally.moved += 1;
      else this.waiting.push({ found: { line, ref, keyHex, theirs }, seenMs });
    }
  }

  private async *confirmed(found: readonly Candidate['found'][]): AsyncGenerator<CompareItem> {
    const standings = await this.parts.store.standings(found.map((f) => f.keyHex));
    const differences: Difference[] = [];
    for (const candidate of found) {
      const ours = standings.get(candidate.keyHex) ?? null;
      const kind = judge(candidate.theirs, ours);
      if (kind === null || (ours !== null && ours.sinceMs > this.of.asOfMs)) this.tally.moved += 1;
      else differences.push({ ...candidate, kind, ours });
    }
    const { mend } = this.of.request;
    const outcomes = mend === null ? [] : await this.mended(differences, mend);
    for (const [i, difference] of differences.entries()) {
      const mended = outcomes[i] ?? null;
      this.tally.count(difference.kind, mended);
      yield { type: 'difference', difference, mended };
    }
  }

  private async mended(differences: readonly Difference[], mend: MendRequest) {
    // A line that could not be read may have named it.
    const unsure = (d: Difference): boolean => d.line === null && this.tally.broken > 0;
    const sure = differences.filter((d) => !unsure(d));
    const outcomes = await this.parts.mender.mend(sure, mend);
    return differences.map((d) =>
      unsure(d) ? { outcome: 'held' as const, why: 'broken_lines' } : (outcomes[sure.indexOf(d)] ?? null),
    );
  }

  private checkSignal(): void {
    if (this.of.signal.aborted) throw new TerminalError('interrupted', 'The comparison was ended before it was done.');
  }
}

const NOT_NAMED: Theirs = { word: null, status: 'unknown', attempt: null };
