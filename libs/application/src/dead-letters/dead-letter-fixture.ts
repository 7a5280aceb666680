import { FIXTURE_FORMAT, type ChainLink, type FirstCause, type FixtureFailure, type Redactor } from '#libs/contracts';
import { erasureOf, messageMatcher, payloadOf, stateFromJson, type BodyRef, type ErrorSummary, type JobState } from '#libs/domain';
import type { JobReads, JobRow } from '../ports/read-models.port.js';
import { chainOf, firstCauseOf } from '../views/chain.js';
import { iso } from '../views/time.js';
import { RedactedAgain } from './redacted-again.js';

type ChainError = FirstCause['error'];

export interface FixtureRules {
  readonly redactor: Redactor;
  /** What the rules put in the place of what they cut. */
  readonly replacements: readonly string[];
  /** Whose failure it is about. Default: the first that said why it ended. */
  readonly attempt?: number | undefined;
}

/**
 * One dead letter as the input of a test ({@link DeadLetterFixture}), as JSON text with each member on a line of its own: payload and
 * snapshot stand in it as they were sent, save for what the rules of redaction cut by now. The payload is that of the attempt: it may
 * have been changed by hand since. null: there is no such attempt.
 */
export async function deadLetterFixture(row: JobRow, jobs: Pick<JobReads, 'body'>, rules: FixtureRules): Promise<string | null> {
  const { redactor, replacements } = rules;
  const state = stateFromJson(row.state);
  const again = new RedactedAgain(row.ref, redactor);
  const kept = async (body: BodyRef | undefined): Promise<string | null> => {
    const found = body !== undefined && 'hash' in body ? await jobs.body(row.ref, body.hash) : null;
    return found?.bytes == null ? null : Buffer.from(found.bytes).toString('utf8');
  };
  const chain = chainOf(state).map((link) => redactedLink(link, again));
  const cause = firstCauseOf(state);
  const attempt = rules.attempt ?? cause?.attempt;
  if (rules.attempt !== undefined && chain.every((link) => link.attempt !== rules.attempt)) return null;
  const outcome = attempt === undefined ? undefined : state.attempts.get(attempt)?.outcome;
  const error = outcome?.error;
  const failed = error === undefined || attempt === undefined ? null : again.failed(attempt, error, await kept(error.stack), await kept(outcome?.snapshot));
  const payload = payloadOf(state, attempt);
  const payloadText = await kept(payload);
  const decision = state.decisions.findLast((d) => d.kind === 'dead-lettered');
  return lines({
    format: JSON.stringify(FIXTURE_FORMAT),
    job: JSON.stringify({ ...row.ref, kind: row.kind, attempt: row.attempt }),
    diedAt: JSON.stringify(iso(decision?.laneMs ?? row.sinceMs)),
    reason: JSON.stringify(decision?.reason ?? 'unknown'),
    failure: indented(attempt === undefined || failed?.error == null ? null : failureOf(attempt, failed.error, failed.stack, replacements)),
    payload: payloadText === null ? null : again.queued(payloadText).body,
    payloadRef: payload !== undefined && 'ref' in payload ? JSON.stringify(payload.ref) : null,
    snapshot: failed?.body ?? null,
    missing: payloadText === null ? JSON.stringify(missingOf(state, payload)) : null,
    firstCause: cause === null ? null : indented({ ...cause, error: chain.find((link) => link.attempt === cause.attempt)?.error ?? cause.error } satisfies FirstCause),
    chain: indented(chain),
  });
}

function failureOf(attempt: number, error: ErrorSummary, stack: string | null, replacements: readonly string[]): FixtureFailure {
  const { class: name, message, code, responseStatus } = error;
  return {
    ...{ attempt, class: name, message, messageMatches: messageMatcher(message, replacements) },
    ...(code !== undefined && { code }),
    ...(responseStatus !== undefined && { responseStatus }),
    ...(stack !== null && { stack }),
  };
}

function redactedLink(link: ChainLink, again: RedactedAgain): ChainLink {
  if (link.error === undefined) return link;
  const { error } = again.failed(link.attempt, link.error, null, null);
  return error === null ? link : { ...link, error: withStack(error, link.error) };
}

/** Named by the hash by which it is kept. */
function withStack({ class: name, message, code, responseStatus }: ErrorSummary, kept: ChainError): ChainError {
  return {
    ...{ class: name, message },
    ...(code !== undefined && { code }),
    ...(responseStatus !== undefined && { responseStatus }),
    ...(kept.stack !== undefined && { stack: kept.stack }),
  };
}

function missingOf(state: JobState, payload: BodyRef | undefined): 'none' | 'reference' | 'erased' {
  if (payload === undefined) return 'none';
  return 'ref' in payload ? 'reference' : erasureOf(state) === null ? 'none' : 'erased';
}

function indented(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', '\n  ');
}

/** Values are JSON text; what is null is left out. */
function lines(members: Readonly<Record<string, string | null>>): string {
  const told = Object.entries(members).filter(([, text]) => text !== null);
  return `{\n${told.map(([name, text]) => `  ${JSON.stringify(name)}: ${String(text)}`).join(',\n')}\n}\n`;
}
