import { RefusedCallError, UnreachableError } from './errors.js';

const DEFAULT_URL = 'http://127.0.0.1:7411';
const DEFAULT_TIMEOUT_MS = 10_000;

export interface ConnectionOptions {
  /** Where the service is. Default: `JOBWARDEN_URL`, else `http://127.0.0.1:7411`. A path in it is kept. */
  readonly url?: string;
  /** Sent as `authorization: Bearer …`. Default: `JOBWARDEN_TOKEN`, else none. */
  readonly token?: string;
  /** Default `default`. */
  readonly namespace?: string;
  /** In place of the global one, for calls; streams always go by Node's own client. */
  readonly fetch?: typeof globalThis.fetch;
  /** After how long a call counts as not answered, ms. Default 10,000. */
  readonly timeoutMs?: number;
}

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** JSON text. */
  readonly body?: string;
  readonly contentType?: string;
  readonly signal?: AbortSignal;
}

/** The environment is read at each call, so a program may set it after it has loaded this. */
export class Connection {
  constructor(private readonly options: ConnectionOptions = {}) {}

  get namespace(): string {
    return this.options.namespace ?? 'default';
  }

  url(path: string, query: Request['query'] = {}): URL {
    const base = this.options.url ?? nonEmpty(process.env['JOBWARDEN_URL']) ?? DEFAULT_URL;
    const url = new URL(base.replace(/\/+$/u, '') + path);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
    return url;
  }

  headers(): Record<string, string> {
    const token = this.options.token ?? nonEmpty(process.env['JOBWARDEN_TOKEN']);
    return token === undefined ? {} : { authorization: `Bearer ${token}` };
  }

  /**
   * The answer's JSON.
   * @throws UnreachableError, RefusedCallError; what `signal` was aborted with.
   */
  async call(request: Request): Promise<unknown> {
    const response = await this.ask(request);
    if (response.status < 300) return response.json;
    throw failureOf(request, response);
  }

  private async ask({ method, path, query, body, contentType = 'application/json', signal }: Request): Promise<Answer> {
    const timeout = AbortSignal.timeout(this.options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
    try {
      const response = await (this.options.fetch ?? globalThis.fetch)(this.url(path, query), {
        method,
        headers: { ...this.headers(), ...(body !== undefined && { 'content-type': contentType }) },
        ...(body !== undefined && { body }),
        redirect: 'manual',
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      });
      const text = await response.text();
      return { status: response.status, json: jsonOf(text), retryAfterMs: retryAfterMs(response.headers.get('retry-after')) };
    } catch (error) {
      signal?.throwIfAborted();
      throw new UnreachableError(`${method} ${path}: ${reasonOf(error)}`, { cause: error });
    }
  }
}

interface Answer {
  readonly status: number;
  readonly json: unknown;
  readonly retryAfterMs: number | undefined;
}

/** A redirect is no answer of Jobwarden's, and following it would send a token to somebody else. */
function failureOf({ method, path }: Request, { status, json, retryAfterMs }: Answer): Error {
  const problem = isRecord(json) ? json : {};
  const { code, detail } = problem;
  const what = `${method} ${path} was answered ${String(status)}${typeof detail === 'string' ? `: ${detail}` : ''}`;
  const word = typeof code === 'string' ? code : `http_${String(status)}`;
  // A 429 with a code is the answer to a claim; without one a proxy says that it has enough.
  const refused = status === 429 ? typeof code === 'string' : status >= 400 && status < 500 && status !== 408;
  if (refused) return new RefusedCallError(what, status, word, problem, retryAfterMs ?? null);
  return new UnreachableError(what, { status, ...(retryAfterMs !== undefined && { retryAfterMs }) });
}

/** Seconds, or a date. undefined: it says nothing that can be read. */
export function retryAfterMs(header: string | null | undefined, nowMs = Date.now()): number | undefined {
  if (header == null || header.trim() === '') return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1_000);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

/** `fetch failed` says nothing; its cause does. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return cause.errors[0].message;
  return cause instanceof Error ? cause.message || cause.name : error.message;
}
