import type { Fact, Heartbeat, Worker } from '#libs/domain';

/**
 * What travels, and what a worker is at, packed into one small integer each: a state of the world is then a few dozen
 * integers, and sorting them is all that it takes to forget an order that nobody can see.
 */
export const FACT_TYPES = ['queued', 'started', 'heartbeat', 'succeeded', 'failed', 'failed-for-good', 'released', 'cancelled'] as const;
export type MessageType = (typeof FACT_TYPES)[number];

export interface Message {
  readonly type: MessageType;
  readonly attempt: number;
  /** 0 or 1. */
  readonly worker: number;
  /** Of the runs that one attempt had. */
  readonly run: number;
  /** The epoch of the token that it names; null: it names none. */
  readonly tokenEpoch: number | null;
  /** It has been received before. */
  readonly known: boolean;
}

export const QUEUED: Message = { type: 'queued', attempt: 0, worker: 0, run: 0, tokenEpoch: null, known: false };

export function packMessage({ type, attempt, worker, run, tokenEpoch, known }: Message): number {
  const token = tokenEpoch === null ? 0 : 1 + tokenEpoch;
  return FACT_TYPES.indexOf(type) | (attempt << 3) | (worker << 6) | (run << 7) | (token << 10) | (Number(known) << 13) | MESSAGE;
}
/** Keeps the smallest message apart from 0, which is none. */
const MESSAGE = 1 << 14;
const WORKER_BIT = 1 << 6;
const KNOWN_BIT = 1 << 13;

export function unpackMessage(code: number): Message {
  const token = (code >> 10) & 7;
  return {
    type: FACT_TYPES[code & 7] ?? 'queued',
    attempt: (code >> 3) & 7,
    worker: (code >> 6) & 1,
    run: (code >> 7) & 7,
    tokenEpoch: token === 0 ? null : token - 1,
    known: (code & KNOWN_BIT) !== 0,
  };
}

export function asKnown(code: number): number {
  return code | KNOWN_BIT;
}

/** The same with the two workers' names exchanged. What is nobody's stays. */
export function swapMessage(code: number): number {
  const type = code & 7;
  return code === 0 || type === 0 || type === 7 ? code : code ^ WORKER_BIT;
}

export interface Command {
  readonly kind: 'enqueue' | 'stop';
  readonly attempt: number;
  readonly tokenEpoch: number | null;
}

export function packCommand({ kind, attempt, tokenEpoch }: Command): number {
  return Number(kind === 'stop') | (attempt << 1) | ((tokenEpoch === null ? 0 : 1 + tokenEpoch) << 4);
}

export function unpackCommand(code: number): Command {
  const token = code >> 4;
  return { kind: (code & 1) === 1 ? 'stop' : 'enqueue', attempt: (code >> 1) & 7, tokenEpoch: token === 0 ? null : token - 1 };
}

/** One of the two workers; the code 0 is one that waits for work. */
export interface Slot {
  /** `asking`: its claim may have been carried out, but it has had no answer. */
  readonly phase: 'asking' | 'running';
  /** Of the command while it asks, of its grant once it runs. */
  readonly attempt: number;
  readonly run: number;
  readonly tokenEpoch: number | null;
}

export function packSlot({ phase, attempt, run, tokenEpoch }: Slot): number {
  return (phase === 'asking' ? 1 : 2) | (attempt << 2) | (run << 5) | ((tokenEpoch === null ? 0 : 1 + tokenEpoch) << 8);
}

export function unpackSlot(code: number): Slot | null {
  if (code === 0) return null;
  const token = code >> 8;
  return {
    phase: (code & 3) === 1 ? 'asking' : 'running',
    attempt: (code >> 2) & 7,
    run: (code >> 5) & 7,
    tokenEpoch: token === 0 ? null : token - 1,
  };
}

export const WORKERS = [{ id: 'a' }, { id: 'b' }] as const;

/**
 * A process that begins anew has another incarnation. One that ran the same attempt twice within one incarnation could
 * not be told from one that ran it once: that is a limit of the protocol, and no such process is explored.
 */
export function workerOf(worker: number, run: number): Worker {
  return { ...WORKERS[worker === 1 ? 1 : 0], incarnation: String(run) };
}

export interface Stamp {
  readonly laneMs: number;
  readonly epoch: number;
  readonly ownerQueue: boolean;
  readonly token: number | null;
}

/** As it stands in the log. Its id says which run of which attempt it is of: no two facts share one. */
export function factOf(message: Message, { laneMs, epoch, ownerQueue, token }: Stamp): Fact | Heartbeat {
  const { type, attempt, worker, run } = message;
  const stamp = { laneMs, ...(epoch > 0 && { epoch }) };
  if (type === 'queued') return { type, source: 'app', id: 'queued', ...stamp };
  if (type === 'cancelled') return { type, source: 'app', id: 'cancel', ...stamp };
  const base = {
    ...{ source: 'worker', id: `${type}/${attempt}.${run}`, attempt, worker: workerOf(worker, run) },
    ...stamp,
    ...(token !== null && { token }),
    ...(ownerQueue && { ownerQueue: true }),
  };
  switch (type) {
    case 'started':
      return { ...base, type, leaseMs: 1 };
    case 'failed':
    case 'failed-for-good':
      return { ...base, type: 'failed', retryable: type === 'failed', error: { class: 'Error', message: 'no' } };
    default:
      return { ...base, type };
  }
}

/** In words, for a trace. */
export function sayMessage(code: number): string {
  const { type, attempt, worker, known } = unpackMessage(code);
  const again = known ? ' (a repeat)' : '';
  return attempt === 0 ? `${type}${again}` : `${type} of attempt ${attempt} by worker ${WORKERS[worker === 1 ? 1 : 0].id}${again}`;
}
