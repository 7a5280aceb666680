import { JOB_FIELDS } from './own-keys.js';
import { runOf } from './run-id.js';

/**
 * Which attempt of its run a start of a native job is.
 *
 * BullMQ counts a job's starts (`attemptsStarted`), its failures (`attemptsMade`) and its stalls (`stalledCounter`). Without
 * us the attempt is one more than failures and stalls together; starts do not serve, since a job that was delayed or rate
 * limited by its own handler is started again and is the same attempt. Where a command has asked for an attempt, that one
 * is its number from then on, and the queue's own retries count on from there.
 */
export interface Grant {
  readonly attempt: number;
  readonly token: number;
  /** The job's starts when it was granted: it has been run since if there are more. */
  readonly starts: number;
  /** Its failures and stalls then. */
  readonly base: number;
}

/** The part of a BullMQ job that says which attempt it is. */
export interface Counted {
  readonly id?: string | undefined;
  readonly timestamp: number;
  readonly attemptsStarted: number;
  readonly attemptsMade: number;
  readonly stalledCounter: number;
}

export function writeGrant({ attempt, token, starts, base }: Grant): string {
  return [attempt, token, starts, base].join(' ');
}

export function readGrant(text: string | null | undefined): Grant | null {
  const numbers = (text ?? '').split(' ').map(Number);
  const [attempt = 0, token = 0, starts = 0, base = 0] = numbers;
  return numbers.length === 4 && numbers.every(Number.isSafeInteger) && attempt > 0 ? { attempt, token, starts, base } : null;
}

/** Of a job that was added for a command: its custom id says which attempt it is. */
function grantOfId(id: string, createdMs: number): Grant | null {
  const { firstAttempt, token } = runOf(id, createdMs);
  return token === undefined ? null : { attempt: firstAttempt, token, starts: 0, base: 0 };
}

/** One start of a native job, as Jobwarden sees it. */
export interface Start {
  /** Jobwarden's job id. */
  readonly runId: string;
  readonly attempt: number;
  /** The command's, while this is still the attempt that it asked for. */
  readonly token?: number;
  /** What came with that command. */
  readonly command?: Readonly<Record<string, unknown>>;
  /** Nobody wants it to run any more. */
  readonly stopped: boolean;
  /** What it failed with when it was put aside; null: it was not, or something else has happened since. */
  readonly heldFor: string | null;
  /** The attempt was asked for after this start: unless `attemptsStarted` was set back, somebody has taken the job away. */
  readonly overtaken: boolean;
}

export const STARTED_FIELDS = [JOB_FIELDS.grant, JOB_FIELDS.command, JOB_FIELDS.held, JOB_FIELDS.stopped] as const;

/** `values` are those of {@link STARTED_FIELDS}. */
export function startOf(job: Counted, values: readonly (string | null)[]): Start {
  const [grantText, commandText, heldText, stoppedText] = values;
  const id = job.id ?? '';
  const grant = readGrant(grantText) ?? grantOfId(id, job.timestamp);
  const attempt = attemptOf(job, grant);
  const asked = grant !== null && grant.attempt === attempt;
  const command = asked ? parsed(commandText) : null;
  return {
    runId: runOf(id, job.timestamp).jobId,
    attempt,
    ...(asked && { token: grant.token }),
    ...(command !== null && { command }),
    stopped: Number(stoppedText ?? 0) >= attempt,
    heldFor: heldAt(heldText, job.attemptsStarted - 1),
    overtaken: (readGrant(grantText)?.starts ?? -1) >= job.attemptsStarted,
  };
}

export function attemptOf({ attemptsMade, stalledCounter }: Counted, grant: Grant | null): number {
  const { attempt, base } = grant ?? { attempt: 1, base: 0 };
  return attempt + Math.max(0, attemptsMade + stalledCounter - base);
}

export function writeHeld(starts: number, message: string): string {
  return `${String(starts)} ${message.slice(0, 4_000)}`;
}

/** The message, if it was put aside after so many starts. */
export function heldAt(text: string | null | undefined, starts: number): string | null {
  const [, at, message] = /^(\d+) (.*)$/su.exec(text ?? '') ?? [];
  return at !== undefined && Number(at) === starts ? (message ?? '') : null;
}

function parsed(text: string | null | undefined): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text ?? 'null');
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : null;
  } catch {
    return null;
  }
}
