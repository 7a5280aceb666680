import { request as plainRequest, type OutgoingHttpHeaders } from 'node:http';
import { request as tlsRequest, type RequestOptions } from 'node:https';
import { OrchestratorError } from '#libs/application';
import { lossOf, nameOf, refusalOf, type Call } from './failures.js';

/** Where the cluster is, and what a request has to carry to be let in. */
export interface ClusterAccess {
  readonly server: URL;
  readonly options: () => Promise<RequestOptions>;
}

export interface CallOptions {
  readonly signal: AbortSignal;
  readonly query?: Readonly<Record<string, string>>;
  /** Of a write, with how the cluster is to read it. */
  readonly patch?: { readonly type: 'json-patch' | 'merge-patch'; readonly body: unknown };
}

/** From the connection to the last byte of one call, ms. */
const CALL_TIMEOUT_MS = 10_000;
/** One object, or one page of a list. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;
const PAGE = '250';
const MAX_PAGES = 40;

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly retryAfter: string | undefined;
}

interface ListAnswer<Item> {
  readonly items?: readonly Item[];
  readonly metadata?: { readonly continue?: string };
}

/** Single calls to the cluster. Each ends within its time, whatever hangs, and fails as an {@link OrchestratorError}. None is repeated here. */
export class ClusterCalls {
  constructor(
    private readonly access: ClusterAccess,
    private readonly timeoutMs = CALL_TIMEOUT_MS,
  ) {}

  /** `get` and `patch`. */
  async one<Item>(call: Call & { readonly name: string }, options: CallOptions): Promise<Item> {
    return (await this.send(call, options)) as Item;
  }

  /** All pages. */
  async list<Item>(call: Call, { signal, query = {} }: CallOptions): Promise<readonly Item[]> {
    const items: Item[] = [];
    let from = '';
    for (let page = 0; page < MAX_PAGES; page++) {
      const next = from === '' ? {} : { continue: from };
      const answer = (await this.send(call, { signal, query: { ...query, limit: PAGE, ...next } })) as ListAnswer<Item>;
      items.push(...(answer.items ?? []));
      from = answer.metadata?.continue ?? '';
      if (from === '') return items;
    }
    throw new OrchestratorError('unsupported', `${nameOf(call)}: there are more than ${String(items.length)}`);
  }

  private async send(call: Call, options: CallOptions): Promise<unknown> {
    const timeout = AbortSignal.timeout(this.timeoutMs);
    const signal = AbortSignal.any([options.signal, timeout]);
    const answer = await untilAborted(this.exchange(call, options, signal), signal).catch((error: unknown) => {
      if (options.signal.aborted) throw new OrchestratorError('timed_out', `${nameOf(call)}: interrupted`);
      if (timeout.aborted) throw new OrchestratorError('timed_out', `${nameOf(call)}: no answer within ${String(this.timeoutMs)} ms`);
      throw lossOf(call, error);
    });
    if (answer.status >= 300) throw refusalOf(call, answer.status, answer.body, answer.retryAfter);
    try {
      return JSON.parse(answer.body) as unknown;
    } catch (error) {
      throw lossOf(call, error);
    }
  }

  private async exchange(call: Call, { query, patch }: CallOptions, signal: AbortSignal): Promise<Answer> {
    const url = new URL(this.access.server);
    url.pathname = `${url.pathname.replace(/\/$/, '')}${pathOf(call)}`;
    url.search = new URLSearchParams(query).toString();
    const options = await this.access.options();
    const body = patch === undefined ? null : JSON.stringify(patch.body);
    const headers: Record<string, string> = { accept: 'application/json', 'user-agent': 'jobwarden' };
    if (patch !== undefined) headers['content-type'] = `application/${patch.type}+json`;
    return exchange(url, { ...options, method: call.verb === 'patch' ? 'PATCH' : 'GET', headers: { ...(options.headers as OutgoingHttpHeaders | undefined), ...headers }, signal }, body);
  }
}

/** A plug-in that prints a token may hang as well, and knows no signal. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(new Error('aborted'));
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

const VERSIONS = { apps: 'v1', autoscaling: 'v2', 'keda.sh': 'v1alpha1' } as const;

function pathOf({ group, resource, namespace, name }: Call): string {
  const root = group === '' ? '/api/v1' : `/apis/${group}/${VERSIONS[group]}`;
  return `${root}/namespaces/${encodeURIComponent(namespace)}/${resource}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;
}

function exchange(url: URL, options: RequestOptions, body: string | null): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const request = url.protocol === 'http:' ? plainRequest : tlsRequest;
  const call = request(url, options, (response) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_BODY_BYTES) response.destroy(new Error(`an answer of more than ${String(MAX_BODY_BYTES)} bytes`));
      else chunks.push(chunk);
    });
    response.on('error', reject);
    response.on('end', () => {
      resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8'), retryAfter: response.headers['retry-after'] });
    });
  });
  call.on('error', reject);
  call.end(body ?? undefined);
  return promise;
}
