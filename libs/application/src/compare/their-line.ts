import { jobKeyHex, type Limits } from '#libs/contracts';
import type { JobRef } from '#libs/domain';
import type { Theirs } from './judge.js';
import type { RawLine } from './lines.js';
import type { StatusWords } from './status-words.js';

/** Why a line says nothing. Stable and public. */
export const LINE_FAULTS = ['too_long', 'not_utf8', 'not_json', 'not_an_object', 'field', 'status_unknown', 'namespace_unknown'] as const;
export type LineFault = (typeof LINE_FAULTS)[number];

export interface BrokenLine {
  readonly line: number;
  readonly reason: LineFault;
  /** For people. */
  readonly detail: string;
}

/** What somebody else says of one job, as a line of his list has it. */
export interface TheirLine {
  readonly line: number;
  readonly ref: JobRef;
  readonly keyHex: string;
  readonly theirs: Theirs;
}

export interface LineRules {
  /** Where a line names none. */
  readonly namespace: string;
  readonly queue: string | null;
  readonly words: StatusWords;
  readonly maySee: (namespace: string) => boolean;
  readonly lineBytes: number;
  /** Of names, as they hold for events. */
  readonly limits: Pick<Limits, 'namespaceBytes' | 'queueBytes' | 'jobIdBytes'>;
}

export function readLine({ line, bytes }: RawLine, rules: LineRules): TheirLine | BrokenLine {
  if (bytes === null) return { line, reason: 'too_long', detail: `has over ${String(rules.lineBytes)} bytes` };
  const object = objectOf(bytes);
  if ('reason' in object) return { line, ...object };
  const { value } = object;
  const names = namesOf(value, rules);
  if ('detail' in names) return { line, reason: 'field', detail: names.detail };
  if (!rules.maySee(names.namespace)) {
    return { line, reason: 'namespace_unknown', detail: `there is no namespace ${shown(names.namespace)} for this token` };
  }
  const theirs = theirsOf(value, rules.words);
  if ('reason' in theirs) return { line, ...theirs };
  return { line, ref: names, keyHex: jobKeyHex(names), theirs };
}

type Fault = Omit<BrokenLine, 'line'>;

function objectOf(bytes: Buffer): { readonly value: Readonly<Record<string, unknown>> } | Fault {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { reason: 'not_utf8', detail: 'is not valid UTF-8' };
  }
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { value: value as Readonly<Record<string, unknown>> };
    }
    return { reason: 'not_an_object', detail: 'is JSON, but no object: send one object a line' };
  } catch {
    return { reason: 'not_json', detail: 'is no JSON' };
  }
}

const NAMES = [
  ['namespace', 'namespaceBytes'],
  ['queue', 'queueBytes'],
  ['id', 'jobIdBytes'],
] as const;

function namesOf(value: Readonly<Record<string, unknown>>, rules: LineRules): JobRef | { readonly detail: string } {
  const given = {
    namespace: value['namespace'] ?? rules.namespace,
    queue: value['queue'] ?? rules.queue ?? undefined,
    // Some queues number their jobs.
    id: Number.isSafeInteger(value['id']) ? String(value['id']) : value['id'],
  };
  for (const [name, limitName] of NAMES) {
    const limit = rules.limits[limitName];
    const text = given[name];
    if (text === undefined || text === null) return { detail: `\`${name}\` is missing` };
    if (typeof text !== 'string' || text === '' || text.includes('\0') || !text.isWellFormed()) {
      return { detail: `\`${name}\` is no name: a text that is not empty, without NUL` };
    }
    if (Buffer.byteLength(text) > limit) return { detail: `\`${name}\` has over ${String(limit)} bytes` };
  }
  return given as JobRef;
}

function theirsOf(value: Readonly<Record<string, unknown>>, words: StatusWords): Theirs | Fault {
  const { status: word, attempt = null } = value;
  if (typeof word !== 'string') return { reason: 'field', detail: '`status` is missing, or no text' };
  if (attempt !== null && !(Number.isSafeInteger(attempt) && Number(attempt) >= 1)) {
    return { reason: 'field', detail: '`attempt` is no whole number from 1' };
  }
  const status = words(word);
  if (status !== null) return { word, status, attempt: attempt === null ? null : Number(attempt) };
  return { reason: 'status_unknown', detail: `status ${shown(word)} is none of ours: say what it means, as map=WORD:STATUS, or with preset` };
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
