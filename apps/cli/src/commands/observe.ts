import { readFileSync } from 'node:fs';
import { ObserveError as RedisError, observeBullmq } from '@jobwarden/bullmq/tap';
import { createClient, createEmitter, type Client, type Emitter } from '@jobwarden/client';
import { ObserveError as DatabaseError, observePgBoss } from '@jobwarden/pg-boss/tap';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { awaitOwner, ObserveStopped } from '../observe/owner.js';
import { Told } from '../observe/told.js';
import { ServiceClient, type ServiceOptions } from '../rest/client.js';
import { nearest } from '../terminal/nearest.js';
import { Progress } from '../terminal/progress.js';
import { figure, printable } from '../terminal/table.js';
import type { Context } from '../terminal/terminal.js';

export interface ObserveFlags extends ServiceOptions {
  readonly namespace?: string;
  readonly queue: readonly string[];
  readonly payload?: boolean;
  readonly history: number;
  readonly once?: boolean;
  readonly anyOwner?: boolean;
  readonly json?: boolean;
}

export interface ObserveBullmqFlags extends ObserveFlags {
  readonly redis?: string;
  readonly prefix: string;
}

export interface ObservePgBossFlags extends ObserveFlags {
  readonly database?: string;
  readonly schema: string;
}

/** What both taps have in common. */
interface TapOptions {
  readonly queues?: readonly string[];
  readonly payload: boolean;
  readonly history: number;
  readonly once: boolean;
  readonly emitter: Emitter;
  readonly client: Client;
  readonly before: (queue: string) => Promise<void>;
  readonly onStatus: (status: Status) => void;
  readonly signal: AbortSignal;
}

interface Status {
  readonly queues: readonly string[];
  readonly unfinished: number;
  readonly trouble: string | null;
}

export async function runObserveBullmq(flags: ObserveBullmqFlags, context: Context): Promise<ExitCode> {
  const redis = flags.redis ?? context.env['REDIS_URL'];
  if (redis === undefined) return refused(context, 'Give the address of Redis: --redis redis://localhost:6379, or REDIS_URL.');
  return await observe({ library: 'BullMQ', source: 'tap/bullmq', flags, context }, (options) =>
    observeBullmq({ ...options, redis, prefix: flags.prefix }),
  );
}

export async function runObservePgBoss(flags: ObservePgBossFlags, context: Context): Promise<ExitCode> {
  const database = flags.database ?? context.env['DATABASE_URL'];
  if (database === undefined) return refused(context, 'Give the address of the database: --database postgres://…, or DATABASE_URL.');
  return await observe({ library: 'pg-boss', source: 'tap/pg-boss', flags, context }, (options) =>
    observePgBoss({ ...options, database, schema: flags.schema }),
  );
}

interface Observation {
  readonly library: string;
  readonly source: string;
  readonly flags: ObserveFlags;
  readonly context: Context;
}

async function observe({ library, source, flags, context }: Observation, tap: (options: TapOptions) => Promise<Status>): Promise<ExitCode> {
  const { terminal, signal } = context;
  const service = ServiceClient.of(flags, context);
  if (typeof service === 'string') return refused(context, service);
  const told = new Told();
  const emitter = emitterOf(source, flags, context, told);
  const progress = new Progress(terminal, flags.json === true);
  const check = { client: service, context, namespace: flags.namespace, library, once: flags.once === true, anyOwner: flags.anyOwner === true };
  let troubleTold: string | null = null;
  const say = ({ queues, unfinished, trouble }: Status): void => {
    if (trouble !== null && trouble !== troubleTold) terminal.err(printable(trouble));
    troubleTold = trouble;
    progress.updateUnknown(`${standing(queues, unfinished)}: ${told.line(emitter.emitter.stats())}`);
  };
  try {
    const status = await tap({
      ...(flags.queue.length > 0 && { queues: flags.queue }),
      payload: flags.payload === true,
      history: flags.history,
      once: flags.once === true,
      ...emitter,
      before: async (queue) => await awaitOwner(queue, check),
      onStatus: say,
      signal,
    });
    const whole = await emitter.emitter.close(flags.once === true ? 30_000 : 5_000);
    progress.done();
    return ended({ status, whole, told, flags, context });
  } catch (error) {
    await emitter.emitter.close();
    progress.done();
    return failed(error, flags, context);
  }
}

function emitterOf(source: string, flags: ObserveFlags, { terminal, env }: Context, told: Told): { readonly client: Client; readonly emitter: Emitter } {
  const token = flags.tokenFile === undefined ? env['JOBWARDEN_TOKEN'] : readFileSync(flags.tokenFile, 'utf8').trim();
  const client = createClient({
    url: flags.url,
    ...(token !== undefined && token !== '' && { token }),
    ...(flags.namespace !== undefined && { namespace: flags.namespace }),
  });
  const line = (message: string): void => terminal.err(printable(message));
  const emitter = createEmitter({ client, source, logger: { info: line, warn: line }, onResult: (result) => told.add(result) });
  return { client, emitter };
}

interface End {
  readonly status: Status;
  /** Everything that was told is acknowledged. */
  readonly whole: boolean;
  readonly told: Told;
  readonly flags: ObserveFlags;
  readonly context: Context;
}

function ended({ status, whole, told, flags, context: { terminal } }: End): ExitCode {
  const { queues, unfinished } = status;
  if (flags.json === true) terminal.out(JSON.stringify({ queues, unfinished, ...told.json() }));
  else {
    const stats = { ...NOTHING_LEFT, away: !whole };
    terminal.out(printable(`${standing(queues, unfinished)}: ${told.line(stats)}. ${queues.join(', ')}`));
    for (const fault of told.faults()) terminal.err(fault);
  }
  if (whole) return told.notTaken > 0 ? EXIT.differences : EXIT.fine;
  terminal.err('Not everything has arrived: run the same command again, and what was stored is known by its ids.');
  return EXIT.unreachable;
}

function standing(queues: readonly string[], unfinished: number): string {
  return `${figure(queues.length)} ${queues.length === 1 ? 'queue' : 'queues'}, ${figure(unfinished)} unfinished ${unfinished === 1 ? 'job' : 'jobs'}`;
}

const NOTHING_LEFT = { buffered: 0, bufferedBytes: 0, sent: 0, refused: 0, quarantined: 0, rejected: 0, dropped: { beats: 0, starts: 0, unheard: 0, facts: 0 } };

function failed(error: unknown, { queue }: ObserveFlags, { terminal }: Context): ExitCode {
  if (error instanceof ObserveStopped) return error.exit;
  if (!(error instanceof RedisError || error instanceof DatabaseError)) throw error;
  const { code, message, there } = error;
  const missing = queue.find((name) => !there.includes(name));
  const near = missing === undefined ? null : nearest(missing, there);
  const hint = near !== null ? ` Did you mean ${near}?` : there.length > 0 ? ` There are ${there.slice(0, 10).join(', ')}.` : '';
  terminal.err(printable(`${message}${hint}`));
  return code === 'unreachable' ? EXIT.unreachable : EXIT.refused;
}

function refused({ terminal }: Context, message: string): ExitCode {
  terminal.err(message);
  return EXIT.refused;
}
