import type { Step } from './incident-queries';

export interface Assessed {
  readonly cause: string;
  /** What is to blame; null: nothing that has a name. */
  readonly subject: string | null;
  /** 0 to 1; null: it was not told. */
  readonly confidence: number | null;
  readonly selfSustained: boolean;
  readonly says: readonly { readonly says: string; readonly figures: Readonly<Record<string, unknown>> }[];
}

/** The last assessment; null: none was made. */
export function assessedIn(steps: readonly Step[]): Assessed | null {
  const evidence = steps.findLast(({ type }) => type === 'cause-assessed')?.evidence;
  const { cause, subject, confidence, selfSustained, says } = evidence ?? {};
  if (typeof cause !== 'string') return null;
  return {
    cause,
    subject: typeof subject === 'string' ? subject : null,
    confidence: typeof confidence === 'number' ? confidence : null,
    selfSustained: selfSustained === true,
    says: Array.isArray(says) ? says.flatMap(sentenceOf) : [],
  };
}

function sentenceOf(value: unknown): Assessed['says'] {
  if (typeof value !== 'object' || value === null) return [];
  const { says, figures } = value as { says?: unknown; figures?: unknown };
  if (typeof says !== 'string') return [];
  return [{ says, figures: typeof figures === 'object' && figures !== null ? (figures as Readonly<Record<string, unknown>>) : {} }];
}

export interface BlamedJob {
  readonly namespace: string;
  readonly queue: string;
  readonly id: string;
}

/** `namespace/queue/id`, where all three may hold slashes: the run's queues tell where one ends. null: no queue of it. */
export function jobIn(subject: string, queues: readonly Pick<BlamedJob, 'namespace' | 'queue'>[]): BlamedJob | null {
  for (const { namespace, queue } of queues) {
    const prefix = `${namespace}/${queue}/`;
    if (subject.startsWith(prefix) && subject.length > prefix.length) return { namespace, queue, id: subject.slice(prefix.length) };
  }
  return null;
}
