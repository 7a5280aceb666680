import { parsed, reasonOf } from '../../rest/fetched.js';
import { carriable, NO_TOKEN } from '../../rest/token.js';
import type { Context } from '../../terminal/terminal.js';

/** What a server of somebody else's answered. `refused`: with a status other than 2xx. */
export type OutsideAnswer =
  | { readonly kind: 'ok'; readonly text: string; readonly body: unknown }
  | { readonly kind: 'refused'; readonly status: number; readonly detail: string }
  | { readonly kind: 'unreachable'; readonly detail: string };

export interface OutsideOptions {
  /** Of the option, for its faults. */
  readonly option: string;
  readonly url: string;
  /** Name of the variable that holds a bearer token. */
  readonly tokenEnv?: string | undefined;
}

/** Longest wait for one answer, ms. */
const ANSWER_MS = 10_000;
const SHOWN = 200;

/** Calls to a Prometheus or an Alertmanager. An expected no is an answer, not an exception. */
export class OutsideClient {
  private constructor(
    private readonly base: URL,
    private readonly token: string | null,
    private readonly signal: AbortSignal,
  ) {}

  /** A string: what is wrong with the options. */
  static of({ option, url, tokenEnv }: OutsideOptions, { env, signal }: Pick<Context, 'env' | 'signal'>): OutsideClient | string {
    const base = URL.canParse(url) ? new URL(url) : null;
    if (base === null || (base.protocol !== 'http:' && base.protocol !== 'https:')) return `${option} must be an http(s) address, such as http://127.0.0.1:9090`;
    if (base.username !== '' || base.password !== '') return `${option} must hold no user and no password: other users of this machine see arguments. Give a token by ${option}-token-env.`;
    if (!base.pathname.endsWith('/')) base.pathname += '/';
    if (tokenEnv === undefined) return new OutsideClient(base, null, signal);
    const token = env[tokenEnv]?.trim() ?? '';
    if (token === '') return `${option}-token-env: the variable ${tokenEnv} is not set`;
    return carriable(token) ? new OutsideClient(base, token, signal) : `${option}-token-env: the variable ${tokenEnv} ${NO_TOKEN}`;
  }

  get host(): string {
    return this.base.host;
  }

  async get(path: string, query: Readonly<Record<string, string>> = {}): Promise<OutsideAnswer> {
    const url = new URL(path, this.base);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return await this.call(url, {});
  }

  async post(path: string, body: unknown): Promise<OutsideAnswer> {
    return await this.call(new URL(path, this.base), { method: 'POST', body: JSON.stringify(body) });
  }

  private async call(url: URL, init: { readonly method?: string; readonly body?: string }): Promise<OutsideAnswer> {
    const headers: Record<string, string> = { accept: 'application/json', 'content-type': 'application/json' };
    if (this.token !== null) headers['authorization'] = `Bearer ${this.token}`;
    try {
      // Followed, a redirect makes a GET of a POST, and a login page of an answer.
      const response = await fetch(url, { ...init, headers, redirect: 'manual', signal: AbortSignal.any([this.signal, AbortSignal.timeout(ANSWER_MS)]) });
      const text = await response.text();
      if (response.ok) return { kind: 'ok', text, body: parsed(text) };
      return { kind: 'refused', status: response.status, detail: `${this.host} answered ${String(response.status)}: ${text.trim().slice(0, SHOWN) || response.statusText}` };
    } catch (error) {
      return { kind: 'unreachable', detail: `${this.host} does not answer: ${reasonOf(error)}` };
    }
  }
}

/** What to do about an answer that is none. */
export function mendOf(answer: Exclude<OutsideAnswer, { kind: 'ok' }>, option: string): string {
  if (answer.kind === 'unreachable') return `Is it running there, and may this machine reach it? See ${option}.`;
  if (answer.status >= 300 && answer.status < 400) return `Give ${option} the address that it redirects to.`;
  if (answer.status === 401 || answer.status === 403) return `It asks who calls: name the variable that holds a bearer token with ${option}-token-env.`;
  if (answer.status === 404) return `Is this its address? A path that it is served under belongs to ${option}.`;
  return 'Look at its log.';
}
