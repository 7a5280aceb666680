import { readFileSync } from 'node:fs';
import { EXIT, type ExitCode } from '../exit-codes.js';
import type { Context } from '../terminal/terminal.js';
import { parsed, reasonOf } from './fetched.js';
import { carriable, NO_TOKEN } from './token.js';

/** Where a service listens unless it was told otherwise. */
export const DEFAULT_URL = 'http://127.0.0.1:7411';

export type Answer =
  | { readonly kind: 'ok'; readonly status: number; readonly body: unknown }
  /** The service said no: problem details as far as it sent them. */
  | {
      readonly kind: 'problem';
      readonly status: number;
      readonly code: string;
      readonly detail: string;
      readonly retryAfterMs: number | null;
      readonly body: unknown;
    }
  | { readonly kind: 'unreachable'; readonly detail: string };

export interface ServiceOptions {
  readonly url: string;
  /** A file that holds an API token; else JOBWARDEN_TOKEN. Never an argument: other users see those. */
  readonly tokenFile?: string;
}

/** Longest wait for one answer, ms. */
const ANSWER_MS = 30_000;

/** Calls to a running service. An expected no is an answer, not an exception. */
export class ServiceClient {
  private constructor(
    private readonly base: URL,
    private readonly token: string | null,
    private readonly signal: AbortSignal,
  ) {}

  /** A string: what is wrong with the options. */
  static of({ url, tokenFile }: ServiceOptions, { env, signal }: Pick<Context, 'env' | 'signal'>): ServiceClient | string {
    const base = URL.canParse(url) ? new URL(url) : null;
    if (base === null || (base.protocol !== 'http:' && base.protocol !== 'https:')) {
      return `--url must be the http(s) address of a service, such as ${DEFAULT_URL}`;
    }
    if (!base.pathname.endsWith('/')) base.pathname += '/';
    try {
      const token = (tokenFile === undefined ? (env['JOBWARDEN_TOKEN'] ?? '') : readFileSync(tokenFile, 'utf8')).trim();
      if (token !== '' && !carriable(token)) return `${tokenFile === undefined ? 'JOBWARDEN_TOKEN' : `--token-file ${tokenFile}`} ${NO_TOKEN}`;
      return new ServiceClient(base, token === '' ? null : token, signal);
    } catch {
      return `--token-file ${String(tokenFile)} cannot be read`;
    }
  }

  get address(): string {
    return this.base.origin;
  }

  /** Undefined parameters are left out. */
  async get(path: string, query: Readonly<Record<string, string | undefined>> = {}): Promise<Answer> {
    const url = new URL(path, this.base);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
    return await this.send(url, {});
  }

  /** Sends a body as it is read, and answers while it is still being sent. For as long as it takes. */
  async stream(
    path: string,
    of: {
      readonly query: Readonly<Record<string, string | undefined>>;
      readonly accept: string;
      readonly contentType: string;
      readonly body: AsyncIterable<Uint8Array>;
    },
  ): Promise<StreamedAnswer> {
    const url = new URL(path, this.base);
    for (const [name, value] of Object.entries(of.query)) if (value !== undefined) url.searchParams.set(name, value);
    return await this.streamed(url, { accept: of.accept, 'content-type': of.contentType }, { method: 'POST', body: ReadableStream.from(of.body), duplex: 'half' });
  }

  private async streamed(url: URL, headers: Record<string, string>, init: object): Promise<StreamedAnswer> {
    if (this.token !== null) headers['authorization'] = `Bearer ${this.token}`;
    try {
      const response = await fetch(url, { signal: this.signal, ...init, headers });
      if (response.ok && response.body !== null) return { kind: 'ok', body: response.body };
      const answer = await answerOf(response);
      return answer.kind === 'ok' ? { kind: 'unreachable', detail: `${this.address} answered nothing` } : answer;
    } catch (error) {
      return { kind: 'unreachable', detail: `${this.address} does not answer: ${reasonOf(error)}` };
    }
  }

  /** An answer of any length, read as it comes; for as long as it takes, unless it is given no longer than `withinMs`. */
  async read(path: string, query: Readonly<Record<string, string | undefined>>, withinMs?: number): Promise<StreamedAnswer> {
    const url = new URL(path, this.base);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
    return await this.streamed(url, {}, withinMs === undefined ? {} : { signal: AbortSignal.any([this.signal, AbortSignal.timeout(withinMs)]) });
  }

  async send(
    path: string | URL,
    init: { readonly method?: string; readonly contentType?: string; readonly body?: string },
  ): Promise<Answer> {
    const headers: Record<string, string> = { accept: 'application/json' };
    if (init.contentType !== undefined) headers['content-type'] = init.contentType;
    if (this.token !== null) headers['authorization'] = `Bearer ${this.token}`;
    try {
      const response = await fetch(new URL(path, this.base), {
        method: init.method ?? 'GET',
        headers,
        ...(init.body !== undefined && { body: init.body }),
        signal: AbortSignal.any([this.signal, AbortSignal.timeout(ANSWER_MS)]),
      });
      return await answerOf(response);
    } catch (error) {
      return { kind: 'unreachable', detail: `${this.address} does not answer: ${reasonOf(error)}` };
    }
  }
}

/** An answer that is read as it comes. */
export type StreamedAnswer =
  | { readonly kind: 'ok'; readonly body: AsyncIterable<Uint8Array> }
  | Exclude<Answer, { kind: 'ok' }>;

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const body = parsed(text);
  if (response.ok) {
    return body === undefined
      ? { kind: 'unreachable', detail: `${response.url} answers, but not as a Jobwarden: no JSON` }
      : { kind: 'ok', status: response.status, body };
  }
  const { code, detail, title } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return {
    kind: 'problem',
    status: response.status,
    code: typeof code === 'string' ? code : `http_${response.status}`,
    detail: [detail, title].find((t) => typeof t === 'string') ?? response.statusText,
    retryAfterMs: Number.isFinite(seconds) ? seconds * 1_000 : null,
    body,
  };
}


/** Says why there is no answer, and with what to end. */
export function noAnswer({ terminal }: Context, answer: Exclude<Answer, { kind: 'ok' }>): ExitCode {
  if (answer.kind === 'unreachable') {
    terminal.err(`${answer.detail}. Is the service running there? See --url.`);
    return EXIT.unreachable;
  }
  terminal.err(`The service answered ${answer.status} ${answer.code}: ${answer.detail}`);
  if (answer.status === 503) return EXIT.unreachable;
  return answer.status >= 500 || answer.status === 404 ? EXIT.differences : EXIT.refused;
}
