import type { IncidentStep } from '../incident/incident.js';

export interface Cause {
  readonly cause: string;
  /** What is to blame; null: nothing has a name. */
  readonly subject: string | null;
  /** 0 to 1. */
  readonly confidence: number;
  readonly selfSustained: boolean;
  readonly action: string;
  readonly says: readonly { readonly says: string; readonly figures: Readonly<Record<string, number | string>> }[];
}

/** The last assessment; null: none was made. What another release wrote of it is read as far as it is understood. */
export function causeOf(steps: readonly IncidentStep[]): Cause | null {
  const evidence = steps.findLast(({ type }) => type === 'cause-assessed')?.evidence;
  if (evidence === undefined || typeof evidence['cause'] !== 'string') return null;
  const { cause, subject, confidence, selfSustained, action, says } = evidence;
  return {
    cause,
    subject: typeof subject === 'string' ? subject : null,
    confidence: typeof confidence === 'number' ? confidence : 0,
    selfSustained: selfSustained === true,
    action: typeof action === 'string' ? action : 'escalate',
    says: Array.isArray(says) ? says.flatMap((one: unknown) => sentence(one) ?? []) : [],
  };
}

function sentence(one: unknown): Cause['says'][number] | null {
  if (typeof one === 'string') return { says: one, figures: {} };
  if (typeof one !== 'object' || one === null || !('says' in one) || typeof one.says !== 'string') return null;
  const figures = 'figures' in one && typeof one.figures === 'object' && one.figures !== null ? one.figures : {};
  const shown = Object.entries(figures as Readonly<Record<string, unknown>>).filter((entry): entry is [string, number | string] => ['number', 'string'].includes(typeof entry[1]));
  return { says: one.says, figures: Object.fromEntries(shown) };
}
