import { jobKey, shardOf } from '#libs/contracts';
import {
  contributionOf,
  emptyState,
  evolve,
  NEWEST_FOLD_VERSION,
  OLDEST_FOLD_VERSION,
  stateFromJson,
  storedText,
  viewOf,
  type Contribution,
  type JobState,
} from '#libs/domain';
import { decodeEvent } from '../log/event-record.js';
import { TerminalError } from '../ports/errors.js';
import type { AuditedEvent, AuditedRow, Refolding, RowRewrite } from '../ports/audit-store.port.js';

interface Folding {
  readonly row: AuditedRow | null;
  readonly state: JobState;
  events: number;
  /** An entry that only a newer program can read. */
  newer: boolean;
  /** An entry of another shard or period than the row's. */
  misplaced: boolean;
}

/** What a row is, compared with its log. */
export type Verified =
  | { readonly kind: 'same'; readonly row: AuditedRow }
  | { readonly kind: 'row'; readonly row: AuditedRow; readonly fields: readonly string[]; readonly rewrite: RowRewrite }
  /** As its log says, and stored in an older version than the one in force; or in one that is read no more. */
  | { readonly kind: 'outdated'; readonly row: AuditedRow; readonly rewrite: RowRewrite }
  | { readonly kind: 'orphan'; readonly keyHex: string }
  | { readonly kind: 'unlogged' | 'newer'; readonly row: AuditedRow };

/** Differences that no rewrite mends: they lie in what names the row, not in what is folded. */
const UNMENDABLE: ReadonlySet<string> = new Set(['job_key', 'shard', 'misplaced']);

export function isMendable(fields: readonly string[]): boolean {
  return fields.some((f) => !UNMENDABLE.has(f));
}

/** Folds a slice again, entry by entry, in memory of its states alone, and compares. */
export class Refold implements Refolding {
  rows = 0;
  events = 0;
  private readonly byKey = new Map<string, Folding>();

  /** `repair` records rows that differed as drifts. Rows of an older version are rewritten in `inForce`, and are none. */
  constructor(
    private readonly shards: number,
    private readonly purpose: 'repair' | 'rebuild',
    private readonly inForce: number,
  ) {}

  row(row: AuditedRow): void {
    this.rows += 1;
    this.byKey.set(row.keyHex, {
      row,
      state: emptyState(),
      events: 0,
      newer: row.foldVersion > NEWEST_FOLD_VERSION,
      misplaced: false,
    });
  }

  event(keyHex: string, event: AuditedEvent): void {
    let folding = this.byKey.get(keyHex);
    if (folding === undefined) {
      folding = { row: null, state: emptyState(), events: 0, newer: false, misplaced: false };
      this.byKey.set(keyHex, folding);
    }
    this.events += 1;
    folding.events += 1;
    const { row } = folding;
    if (row !== null && (row.shard !== event.shard || row.period !== event.period)) folding.misplaced = true;
    try {
      evolve(folding.state, decodeEvent(event));
    } catch (error) {
      if (!(error instanceof TerminalError) || error.code !== 'newer_log') throw error;
      folding.newer = true;
    }
  }

  verified(): readonly Verified[] {
    return [...this.byKey].map(([keyHex, folding]) => this.verify(keyHex, folding));
  }

  rewrites(): readonly RowRewrite[] {
    return this.verified().flatMap((v) => {
      if (v.kind === 'outdated') return [v.rewrite];
      return v.kind === 'row' && isMendable(v.fields) ? [v.rewrite] : [];
    });
  }

  private verify(keyHex: string, folding: Folding): Verified {
    const { row } = folding;
    if (row === null) return { kind: 'orphan', keyHex };
    if (folding.newer) return { kind: 'newer', row };
    if (folding.events === 0) return { kind: row.version === 0 ? 'same' : 'unlogged', row };
    const foldVersion = Math.max(row.foldVersion, this.inForce);
    if (row.foldVersion < OLDEST_FOLD_VERSION) {
      return { kind: 'outdated', row, rewrite: rewriteOf(row, folding.state, { foldVersion, lookNow: true, drift: false }) };
    }
    const text = storedText(folding.state, row.foldVersion);
    const lookNow = text !== row.state;
    const rewrite = rewriteOf(row, folding.state, { foldVersion, lookNow, drift: this.purpose === 'repair' });
    const fields = [...this.identityFields(row, folding), ...differingFields(row, { ...rewrite, state: text })];
    if (fields.length > 0) return { kind: 'row', row, fields, rewrite };
    if (row.foldVersion === foldVersion) return { kind: 'same', row };
    return { kind: 'outdated', row, rewrite: { ...rewrite, drift: false } };
  }

  private identityFields(row: AuditedRow, { misplaced }: Folding): string[] {
    const key = jobKey(row.ref);
    return [
      ...(key.toString('hex') === row.keyHex ? [] : ['job_key']),
      ...(shardOf(Buffer.from(row.keyHex, 'hex'), this.shards) === row.shard ? [] : ['shard']),
      ...(misplaced ? ['misplaced'] : []),
    ];
  }
}

function rewriteOf(
  row: AuditedRow,
  state: JobState,
  how: Pick<RowRewrite, 'foldVersion' | 'lookNow' | 'drift'>,
): RowRewrite {
  const view = viewOf(state);
  const held = view.status === 'processing' || view.status === 'restart-requested';
  return {
    row,
    state: storedText(state, how.foldVersion),
    kind: state.queued?.kind ?? null,
    status: view.status,
    attempt: view.attempt,
    n: view.n,
    sinceMs: view.sinceMs,
    worker: held ? (state.attempts.get(view.attempt)?.starts[0]?.worker.id ?? null) : null,
    before: row.version === 0 ? null : contributionOfText(row.state),
    after: contributionOf(state, view),
    ...how,
  };
}

/** waits_for and look_at_ms are left out: they follow policies and leases, and are rebuilt rather than audited. */
function differingFields(row: AuditedRow, fold: RowRewrite): string[] {
  const same: Record<string, boolean> = {
    state: fold.state === row.state,
    status: fold.status === row.status,
    attempt: fold.attempt === row.attempt,
    n: fold.n === row.n,
    kind: fold.kind === row.kind,
    since_ms: fold.sinceMs === row.sinceMs,
    worker: fold.worker === row.worker,
  };
  return Object.keys(same).filter((field) => same[field] !== true);
}

/** What a stored row adds to the counters; null where its text cannot be read. */
export function contributionOfText(text: string): Contribution | null {
  try {
    const state = stateFromJson(text);
    return contributionOf(state, viewOf(state));
  } catch {
    return null;
  }
}
