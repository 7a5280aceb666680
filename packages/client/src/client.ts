import type { ClaimCall, CloudEvent, EnqueueCommandData, EventResult, JobRef, JobSummary, JobView, Position, QueueView } from './contract.js';
import { RefusedCallError, UnreachableError } from './errors.js';
import { Connection, isRecord, type ConnectionOptions } from './http.js';
import { readStream, type StreamItem, type StreamName, type StreamOptions } from './stream/stream.js';

export type ClientOptions = ConnectionOptions;

/** Why a claim was not granted: the codes of the service. */
export type ClaimRefusalCode =
  | 'held'
  | 'superseded'
  | 'finished'
  | 'token_unknown'
  | 'revision_quarantined'
  | 'paused'
  | 'throttled'
  /** Below the retention line: finished long ago. */
  | 'retired';

export type ClaimResult =
  | {
      readonly kind: 'granted';
      readonly attempt: number;
      /** Fencing token: goes with every event of the attempt, and to whatever the job writes to. */
      readonly token: number;
      /** Beat sooner than this, best after a third of it. */
      readonly leaseMs: number;
      /** Where the log says which cached values are no longer true since the grant. */
      readonly invalidation?: Position;
      /** What to run with. */
      readonly command?: EnqueueCommandData;
    }
  | {
      readonly kind: 'refused';
      readonly code: ClaimRefusalCode;
      readonly status: number;
      /** When asking again may help; left out: never. */
      readonly retryAfterMs?: number;
    };

export interface JobsQuery {
  readonly queue?: string;
  readonly status?: string;
  readonly id?: string;
  readonly worker?: string;
  /** Items per page, at most 1,000. Default 100. */
  readonly limit?: number;
  /** From the page before. */
  readonly next?: string;
}

/**
 * Speaks to one Jobwarden. Holds no connection and no timer of its own, so there is nothing to close.
 *
 * Every method rejects with {@link UnreachableError} when nobody answered or the answer was 5xx, and with
 * {@link RefusedCallError} when it was 4xx.
 */
export interface Client {
  readonly namespace: string;
  /** What became of each event, in order. Idempotent by (source, id). At most 1,000 events and 1 MiB. */
  send(events: readonly CloudEvent<object>[], options?: CallOptions): Promise<readonly EventResult[]>;
  /** The same for a batch that is JSON text already. */
  sendText(batch: string, options?: CallOptions): Promise<readonly EventResult[]>;
  /** Asks for a job. Idempotent by `claimId`. A refusal is an answer and no error. */
  claim(job: JobRef, call: ClaimCall, options?: CallOptions): Promise<ClaimResult>;
  /** null: nothing is known of it. */
  queue(name: string, options?: CallOptions): Promise<QueueView | null>;
  /** null: nothing is known of it. Below the retention line: RefusedCallError `retired`. */
  job(job: JobRef, options?: CallOptions): Promise<JobView | null>;
  jobs(query: JobsQuery, options?: CallOptions): Promise<{ readonly items: readonly JobSummary[]; readonly next: string | null }>;
  /**
   * What goes out, as server-sent events, for ever: it reconnects, and goes on behind the last id. Ends when `signal`
   * is aborted. Throws only RefusedCallError: the stream, or the id in `from`, is not known, or the token may not read.
   */
  stream(name: StreamName, options: StreamOptions): AsyncGenerator<StreamItem, void, void>;
  /** Where a call of one's own goes, and with which headers, by the environment of this moment. */
  address(path: string): { readonly url: string; readonly headers: Readonly<Record<string, string>> };
  /** Any other call of docs/rest.md; resolves to the answer's JSON. */
  call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown, options?: CallOptions): Promise<unknown>;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export function createClient(options: ClientOptions = {}): Client {
  const connection = new Connection(options);
  const { namespace } = connection;
  const signalOf = ({ signal }: CallOptions) => (signal === undefined ? {} : { signal });
  const oneOrNull = async (path: string, query: Readonly<Record<string, string>>, more: CallOptions) =>
    await orNull(connection.call({ method: 'GET', path, query: { namespace, ...query }, ...signalOf(more) }));

  const sendText: Client['sendText'] = async (body, more = {}) => {
    const answer = await connection.call({ method: 'POST', path: '/v1/events', body, ...signalOf(more) });
    if (isRecord(answer) && Array.isArray(answer['results'])) return answer['results'] as readonly EventResult[];
    // Whatever answered 200 without results is not Jobwarden, and has stored nothing.
    throw new UnreachableError('POST /v1/events was answered without results: is this the address of Jobwarden?');
  };
  return {
    namespace,
    sendText,
    send: (events, more) => sendText(JSON.stringify(events), more),
    claim: (job, call, more = {}) => claim(connection, job, call, more),
    // By the query, for what cannot stand in a path.
    queue: async (name, more = {}) => (await (name === '.' || name === '..' ? oneOrNull('/v1/queue', { queue: name }, more) : oneOrNull(`/v1/queues/${encodeURIComponent(name)}`, {}, more))) as QueueView | null,
    job: async (job, more = {}) => (await oneOrNull('/v1/jobs/one', { queue: job.queue, id: job.id }, more)) as JobView | null,
    jobs: async (query, more = {}) =>
      (await connection.call({ method: 'GET', path: '/v1/jobs', query: { namespace, ...query }, ...signalOf(more) })) as Awaited<ReturnType<Client['jobs']>>,
    stream: (name, more) => readStream(connection, name, more),
    address: (path) => ({ url: connection.url(path).href, headers: connection.headers() }),
    call: async (method, path, body, more = {}) =>
      await connection.call({ method, path, ...(body !== undefined && { body: JSON.stringify(body) }), ...signalOf(more) }),
  };
}

async function claim(connection: Connection, { queue, id }: JobRef, call: ClaimCall, { signal }: CallOptions): Promise<ClaimResult> {
  const { namespace } = connection;
  try {
    const answer = await connection.call({
      method: 'POST',
      path: '/v1/jobs/one/claims',
      query: { namespace, queue, id },
      body: JSON.stringify(call),
      ...(signal !== undefined && { signal }),
    });
    return { kind: 'granted', ...(answer as Omit<Extract<ClaimResult, { kind: 'granted' }>, 'kind'>) };
  } catch (error) {
    if (!(error instanceof RefusedCallError) || !isRefusal(error.code)) throw error;
    const { code, status, retryAfterMs } = error;
    return { kind: 'refused', code, status, ...(retryAfterMs !== null && { retryAfterMs }) };
  }
}

const REFUSALS: ReadonlySet<string> = new Set<ClaimRefusalCode>([
  ...(['held', 'superseded', 'finished', 'token_unknown'] as const),
  ...(['revision_quarantined', 'paused', 'throttled', 'retired'] as const),
]);

function isRefusal(code: string): code is ClaimRefusalCode {
  return REFUSALS.has(code);
}

async function orNull(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof RefusedCallError && error.status === 404) return null;
    throw error;
  }
}
