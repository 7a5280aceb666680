import { jsonEvents, QUARANTINE_REASON, REFUSAL, type EventText, type IngestOutcome, type JsonEvents } from '#libs/contracts';
import type { QuarantineDesk, QuarantinedMessage, QuarantineState } from '../ports/operate-store.port.js';

/** Takes events in as intake does. What still cannot be stored is only answered: its entry in quarantine is there. */
export type ReplayEvents = (events: readonly unknown[], context: ReplayContext) => Promise<readonly ReplayResult[]>;

export interface ReplayContext {
  /** The quarantine entry. */
  readonly replayOf: string;
  readonly lane: number;
  readonly origin: string;
  readonly namespace: string | null;
  /** What each event was read from. */
  readonly texts: readonly (EventText | undefined)[];
}

/** The part of intake's answer about one event that matters here. */
export interface ReplayResult {
  readonly outcome: IngestOutcome;
  readonly code?: string;
  readonly detail?: string;
}

export interface ClosingRequest {
  readonly reason: string;
  readonly by: string;
}

export type QuarantineOutcome =
  | { readonly kind: 'closed'; readonly state: 'replayed' | 'dismissed'; readonly results: readonly ReplayResult[] }
  /** Replayed, and still not storable: it stays open with the newer reason. */
  | {
      readonly kind: 'still_open';
      readonly reason: string;
      readonly detail: string;
      readonly results: readonly ReplayResult[];
    }
  | { readonly kind: 'conflict'; readonly state: QuarantineState; readonly detail: string }
  | { readonly kind: 'refused'; readonly code: 'reason_required'; readonly detail: string }
  | { readonly kind: 'not_found' };

/**
 * What an operator does with a message that could not be stored as sent. While an entry is open it holds verdicts on
 * the job that it names.
 *
 *   open ──replay, taken in──► replayed        open ──dismiss──► dismissed
 *   open ──replay, not taken in──► open, with the newer reason
 *
 * Replaying is repeatable: its events are known by their ids. Two operators at once: intake answers the second one
 * `duplicate`, and one of them closes the entry.
 */
export class QuarantineCalls {
  constructor(
    private readonly desk: QuarantineDesk,
    private readonly ingest: ReplayEvents,
  ) {}

  async replay(id: string, request: ClosingRequest): Promise<QuarantineOutcome> {
    const entry = await this.open(id, request);
    if ('kind' in entry) return entry;
    const kept = eventsIn(entry);
    if (kept === null) {
      return await this.stillOpen(
        id,
        { reason: 'unreadable', detail: 'what was kept is no JSON; send it again mended, then dismiss this' },
        [],
      );
    }
    const results = await this.ingest(kept.events, {
      replayOf: id,
      texts: kept.texts,
      lane: entry.lane,
      origin: entry.origin,
      namespace: entry.namespace,
    });
    const failed = results.find((r) => !isTakenIn(r));
    if (failed !== undefined) return await this.stillOpen(id, whyOf(failed, entry.reason), results);
    return await this.close(id, 'replayed', request, results);
  }

  async dismiss(id: string, request: ClosingRequest): Promise<QuarantineOutcome> {
    const entry = await this.open(id, request);
    return 'kind' in entry ? entry : await this.close(id, 'dismissed', request, []);
  }

  private async open(id: string, request: ClosingRequest): Promise<QuarantinedMessage | QuarantineOutcome> {
    if (request.reason.trim() === '')
      return { kind: 'refused', code: 'reason_required', detail: 'say why: it is kept' };
    const entry = await this.desk.one(id);
    if (entry === null) return { kind: 'not_found' };
    return entry.state === 'open' ? entry : closedAlready(entry.state);
  }

  private async close(
    id: string,
    state: 'replayed' | 'dismissed',
    { by, reason }: ClosingRequest,
    results: readonly ReplayResult[],
  ): Promise<QuarantineOutcome> {
    if (await this.desk.close(id, { state, by, reason: reason.trim() })) return { kind: 'closed', state, results };
    const entry = await this.desk.one(id);
    return entry === null ? { kind: 'not_found' } : closedAlready(entry.state);
  }

  private async stillOpen(
    id: string,
    why: { readonly reason: string; readonly detail: string },
    results: readonly ReplayResult[],
  ): Promise<QuarantineOutcome> {
    await this.desk.keepOpen(id, why);
    return { kind: 'still_open', ...why, results };
  }
}

function closedAlready(state: QuarantineState): QuarantineOutcome {
  return { kind: 'conflict', state, detail: `the entry is ${state} already` };
}

/** A code that is no reason for quarantine leaves the entry under the reason it has. */
function whyOf({ outcome, code, detail }: ReplayResult, before: string): { reason: string; detail: string } {
  const reason = Object.values<string>(QUARANTINE_REASON).find((r) => r === code) ?? before;
  return { reason, detail: detail ?? `not taken in: ${code ?? outcome}` };
}

/** In the log, or in the lease table. A late write that was refused is in the log too, as `write-refused`. */
function isTakenIn({ outcome, code }: ReplayResult): boolean {
  if (outcome === 'refused') return code === REFUSAL.superseded || code === 'void';
  return outcome !== 'quarantined';
}

/** null: no JSON. A whole batch that was kept as one is replayed as one. */
function eventsIn({ bytes }: QuarantinedMessage): JsonEvents | null {
  try {
    return jsonEvents(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return null;
  }
}
