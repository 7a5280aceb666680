import { CAUSES, type Cause } from '../assessment.js';

/** A cause as it is kept apart from others of one namespace: what is to blame is named only where it tells two of them apart. */
export interface CommonCause {
  readonly cause: Cause;
  /** A revision, a job, the name of a host; null: all of this cause are one. */
  readonly blame: string | null;
}

/** The subject of an incident that no target names: `namespace/cause`, and what is to blame. */
export function causeSubject(namespace: string, cause: Cause, blame: string | null): string {
  return [namespace, cause, ...(blame === null ? [] : [blame])].join('/');
}

/** null: it is another namespace's, or a target's, or nothing that was opened by its cause. */
export function causeOfSubject(namespace: string, subject: string): CommonCause | null {
  if (!subject.startsWith(`${namespace}/`)) return null;
  const rest = subject.slice(namespace.length + 1);
  const cause = CAUSES.find((one) => rest === one || rest.startsWith(`${one}/`));
  if (cause === undefined) return null;
  return { cause, blame: rest.length > cause.length ? rest.slice(cause.length + 1) : null };
}

/** Order of names that is the same wherever it is asked for. */
export function byName(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
