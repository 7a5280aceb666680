import type { EnqueueCommandData } from '@jobwarden/client';
import type { IHeaders } from 'kafkajs';

/** Of a record that a command put back: which job's, and which attempt of it. Nothing else of its headers is changed. */
const HEADERS = {
  queue: 'jobwarden-queue',
  jobId: 'jobwarden-job',
  attempt: 'jobwarden-attempt',
  token: 'jobwarden-token',
  /** What came with the command, JSON. */
  command: 'jobwarden-command',
} as const;

/** What the handler of the attempt is told. */
export type HandedOver = Partial<Pick<EnqueueCommandData, 'reason' | 'previousWorker' | 'progress' | 'invalidation' | 'trace'>>;

export interface PutBackRun {
  readonly queue: string;
  readonly jobId: string;
  readonly attempt: number;
  readonly token: number;
  readonly command: HandedOver;
}

export function putBackHeaders({ queue, jobId, attempt, token, command }: PutBackRun): Readonly<Record<string, string>> {
  return {
    [HEADERS.queue]: queue,
    [HEADERS.jobId]: jobId,
    [HEADERS.attempt]: String(attempt),
    [HEADERS.token]: String(token),
    [HEADERS.command]: JSON.stringify(command),
  };
}

/** Null for a record that no command put back. */
export function putBackRunOf(headers: IHeaders | undefined): PutBackRun | null {
  const queue = textOf(headers, HEADERS.queue);
  const jobId = textOf(headers, HEADERS.jobId);
  const [attempt, token] = [Number(textOf(headers, HEADERS.attempt)), Number(textOf(headers, HEADERS.token))];
  if (queue === null || jobId === null || !Number.isSafeInteger(attempt) || !Number.isSafeInteger(token) || attempt < 1) return null;
  return { queue, jobId, attempt, token, command: parsed(textOf(headers, HEADERS.command)) };
}

/** The first of that name; null: there is none. */
export function textOf(headers: IHeaders | undefined, name: string): string | null {
  const value = headers?.[name];
  const first = Array.isArray(value) ? value[0] : value;
  return first === undefined ? null : String(first);
}

function parsed(text: string | null): HandedOver {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
