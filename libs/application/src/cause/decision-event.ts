import { DECISION_KINDS, type Decision, type DecisionKind } from '#libs/domain';

const PREFIX = 'jobwarden.job.';
const SUFFIX = '.v1';

/** A decision as the contract shows it, which ingest would refuse from outside. */
export interface DecisionEvent {
  readonly namespace: string;
  readonly queue: string;
  readonly id: string;
  readonly decision: Omit<Decision, 'n'> & { readonly n: number | null };
}

/** null: it is no decision. `cancelled` is a fact as well, which carries no `n`. */
export function decisionEvent(event: unknown, laneMs: number): DecisionEvent | null {
  const { type, subject, namespace, data } = (event ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof type !== 'string' || typeof subject !== 'string' || !type.startsWith(PREFIX) || !type.endsWith(SUFFIX)) return null;
  const kind = type.slice(PREFIX.length, -SUFFIX.length);
  const { queue, n, attempt, reason, by, evidence, token } = (data ?? {}) as Readonly<Record<string, unknown>>;
  if (!isKind(kind) || typeof queue !== 'string' || (kind === 'cancelled' && typeof n !== 'number')) return null;
  return {
    namespace: typeof namespace === 'string' ? namespace : 'default',
    queue,
    id: subject,
    decision: {
      kind,
      laneMs,
      n: typeof n === 'number' ? n : null,
      attempt: typeof attempt === 'number' ? attempt : 1,
      reason: typeof reason === 'string' ? reason : '',
      by: typeof by === 'string' ? by : 'jobwarden',
      ...(typeof token === 'number' && { token }),
      ...(typeof evidence === 'object' && evidence !== null && { evidence: evidence as Readonly<Record<string, unknown>> }),
    },
  };
}

function isKind(kind: string): kind is DecisionKind {
  return (DECISION_KINDS as readonly string[]).includes(kind);
}
