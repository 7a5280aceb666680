import { DEFAULT_LIMITS, jsonEvents, parseContext, parseEvent, type Limits, type ParseContext, type ParsedFact, type Redactor } from '#libs/contracts';
import type { ErrorSummary, JobRef } from '#libs/domain';
import { withMembers } from '../publish/cloud-event.js';

/** What was kept once is taken by any limit: of size, not of depth, which the stack has to bear. */
const ANY_SIZE: Limits = { ...(Object.fromEntries(Object.keys(DEFAULT_LIMITS).map((name) => [name, Number.MAX_SAFE_INTEGER])) as unknown as Limits), nesting: 1_000 };

/** A failure, or what a job was queued with, by the rules of redaction as they are now; body as JSON text. */
export interface AgainRedacted {
  readonly error: ErrorSummary | null;
  readonly stack: string | null;
  readonly body: string | null;
}

/**
 * Redaction runs before anything is stored, by the rules of then. What leaves the house is cut by those of now as well, in the same
 * way: it is read once more as the event that it came with.
 */
export class RedactedAgain {
  private readonly context: ParseContext;

  constructor(
    private readonly ref: JobRef,
    redactor: Redactor,
  ) {
    // Nothing of the hash is used.
    this.context = parseContext({ hashKey: new Uint8Array(16), limits: ANY_SIZE, redactor });
  }

  queued(payload: string): AgainRedacted {
    return this.read('queued', { queue: this.ref.queue }, { payload });
  }

  failed(attempt: number, error: ErrorSummary, stack: string | null, snapshot: string | null): AgainRedacted {
    const { class: name, message, code, responseStatus } = error;
    const told = {
      ...{ class: name, message },
      ...(code !== undefined && { code }),
      ...(responseStatus !== undefined && { responseStatus }),
      ...(stack !== null && { stack }),
    };
    return this.read('failed', { queue: this.ref.queue, attempt, error: told }, { payloadSnapshot: snapshot ?? undefined });
  }

  private read(kind: string, data: object, raw: Readonly<Record<string, string | undefined>>): AgainRedacted {
    const envelope = { specversion: '1.0', id: 'again', source: '/again', subject: this.ref.id, namespace: this.ref.namespace };
    const text = withMembers(JSON.stringify({ ...envelope, type: `jobwarden.job.${kind}.v1` }), { data: withMembers(JSON.stringify(data), raw) });
    const { events, texts } = jsonEvents(text);
    const parsed = parseEvent(events[0], this.context, texts[0]);
    if (!parsed.ok || parsed.kind !== 'fact') throw new Error(`what was kept of ${JSON.stringify(this.ref)} cannot be read any more: ${parsed.ok ? parsed.kind : parsed.detail}`);
    return { error: parsed.fact.type === 'failed' ? parsed.fact.error : null, stack: bodyOf(parsed, 'stack'), body: bodyOf(parsed, 'payload', 'snapshot') };
  }
}

function bodyOf({ bodies }: ParsedFact, ...roles: readonly string[]): string | null {
  const body = bodies.find(({ role }) => roles.includes(role));
  return body === undefined ? null : Buffer.from(body.bytes).toString('utf8');
}
