import {
  applyJsonPatch,
  bodyDifference,
  jobEventType,
  jsonEvents,
  parseEvent,
  type Body,
  type BodyChange,
  type ParseContext,
  type Patched,
  type PatchFault,
} from '#libs/contracts';
import type { JobRef } from '#libs/domain';

/** So many operations at once: a person wrote them, or a program that should make a body of its own. */
export const MAX_OPERATIONS = 1_000;
/** Of places at which the bodies differ so many are shown. */
export const MAX_CHANGES = 100;

export interface PatchedBody {
  readonly ok: true;
  readonly body: Body;
  readonly operations: Patched['operations'];
  readonly changes: readonly BodyChange[];
  /** What the rules of redaction cut out of it. */
  readonly redacted: readonly string[];
}

export type BodyFault = PatchFault | { readonly ok: false; readonly code: 'payload_refused'; readonly detail: string };

/** The body as it would be kept: patched, and then read as the payload of an event is, limits and redaction included. */
export function patchedBody(ref: JobRef, before: string, patch: string, context: ParseContext): PatchedBody | BodyFault {
  const { bodyBytes } = context.limits;
  const patched = applyJsonPatch(before, patch, { operations: MAX_OPERATIONS, bytes: bodyBytes });
  if (!patched.ok) return patched;
  const { events, texts } = jsonEvents(eventOf(ref, patched.text));
  const parsed = parseEvent(events[0], context, texts[0]);
  const [body] = parsed.ok ? parsed.bodies : [];
  if (!parsed.ok || body === undefined) return { ok: false, code: 'payload_refused', detail: parsed.ok ? 'it is no payload' : parsed.detail };
  const { operations } = patched;
  const after = Buffer.from(body.bytes).toString('utf8');
  return { ok: true, body, operations, changes: bodyDifference(before, after, MAX_CHANGES), redacted: parsed.redacted };
}

function eventOf({ namespace, queue, id }: JobRef, payload: string): string {
  const head = { specversion: '1.0', id: 'patch', source: 'patch', type: jobEventType('queued'), subject: id, namespace };
  return `${JSON.stringify(head).slice(0, -1)},"data":{"queue":${JSON.stringify(queue)},"payload":${payload}}}`;
}
