import { RESERVED_SOURCE } from '#libs/contracts';

export interface EventHead {
  readonly id: string;
  readonly type: string;
  /** What it is about. Without a namespace: the whole installation. */
  readonly ref: { readonly id: string; readonly namespace?: string | undefined };
  /** Of the log entry behind it. */
  readonly laneMs: number;
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
}

/**
 * A CloudEvent as JSON text. Bodies come in `raw`, as text, and are put in as they are: read into values and written
 * again, numbers of more than 53 bits would come out as other numbers.
 */
export function cloudEvent(
  head: EventHead,
  data: Readonly<Record<string, unknown>>,
  raw: Readonly<Record<string, string | undefined>> = {},
): string {
  const envelope = JSON.stringify({
    specversion: '1.0',
    id: head.id,
    source: RESERVED_SOURCE,
    type: head.type,
    subject: head.ref.id,
    time: instant(head.laneMs),
    ...(head.ref.namespace !== undefined && { namespace: head.ref.namespace }),
    ...(head.traceparent !== undefined && { traceparent: head.traceparent }),
    ...(head.tracestate !== undefined && { tracestate: head.tracestate }),
    datacontenttype: 'application/json',
  });
  return withMember(envelope, 'data', withMembers(JSON.stringify(data), raw));
}

/** The text of an object with further members, given as JSON text. It has at least one already. */
export function withMembers(object: string, raw: Readonly<Record<string, string | undefined>>): string {
  let text = object;
  for (const [name, value] of Object.entries(raw)) if (value !== undefined) text = withMember(text, name, value);
  return text;
}

function withMember(object: string, name: string, value: string): string {
  return `${object.slice(0, -1)},${JSON.stringify(name)}:${value}}`;
}

const LAST_MS = 8.64e15;

/** A lane time of a broken clock must not break the message. */
export function instant(ms: number): string {
  return new Date(Math.max(-LAST_MS, Math.min(LAST_MS, ms))).toISOString();
}
