/**
 * One thing wrong with the configuration. Faults are values and come together: whoever mends a file wants
 * all of them at once, not the next one at each start. `rule` and `mend` never hold a secret's value.
 */
export interface Fault {
  /** Stable word for programs: `unknown-key`, `heartbeat-within-third`, `act-needs-safety` … */
  readonly code: string;
  /** The file's name as given, or `environment`. */
  readonly source: string;
  /** Counted from 1; absent for what has no place in a text (environment, a file that cannot be read). */
  readonly line?: number;
  readonly column?: number;
  /** `queues.emails.lease`, or the variable's name. Empty for the whole. */
  readonly path: string;
  /** What is wrong, with both numbers where two are compared. */
  readonly rule: string;
  /** What to write instead. */
  readonly mend: string;
}

export type Result<Value, Failure = readonly Fault[]> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly faults: Failure };

export function success<Value>(value: Value): { readonly ok: true; readonly value: Value } {
  return { ok: true, value };
}

export function failure(faults: readonly Fault[]): { readonly ok: false; readonly faults: readonly Fault[] } {
  return { ok: false, faults };
}

/** `policy.yaml:12:5 queues.emails.lease: must be … ; write …`: the form that editors make clickable. */
export function formatFault(fault: Fault): string {
  const place =
    fault.line === undefined ? fault.source : `${fault.source}:${String(fault.line)}:${String(fault.column ?? 1)}`;
  const path = fault.path === '' ? '' : ` ${fault.path}`;
  return `${place}${path}: ${fault.rule}; ${fault.mend}`;
}

/** One fault a line, in the order of the text. */
export function formatFaults(faults: readonly Fault[]): string {
  return [...faults].sort(byPlace).map(formatFault).join('\n');
}

export function byPlace(a: Fault, b: Fault): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}
