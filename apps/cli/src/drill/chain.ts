import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, ServiceClient } from '../rest/client.js';
import type { Link, LinkState } from './links.js';

/** Nobody may do this with the token given, or the service is not there: the drill ends, rather than calling a link broken. */
export class NoDrill extends Error {
  constructor(readonly answer: Exclude<Answer, { kind: 'ok' }>) {
    super('no drill');
  }
}

/** Between two looks at what is awaited, ms. */
const LOOK_MS = 100;

export interface ChainOptions {
  readonly withinMs: number;
  /** Ctrl-C: nothing is waited for any more. */
  readonly signal: AbortSignal;
}

/** The links as they are tried, and one deadline for all of them. */
export class Chain {
  private readonly begunMs = performance.now();
  private readonly found = new Map<string, Link>();
  private givenUp = false;

  constructor(
    readonly client: Pick<ServiceClient, 'get' | 'send'>,
    private readonly options: ChainOptions,
  ) {}

  /** In the order in which they were expected. */
  get links(): readonly Link[] {
    return [...this.found.values()];
  }

  /** Holds the place of a link in the table until it was tried. */
  expect(...names: readonly string[]): void {
    for (const link of names) this.found.set(link, { link, state: 'left-out', ms: null, says: 'a link before it is broken', mend: null });
  }

  /** Puts several links in the place of one. */
  replace(link: string, names: readonly string[]): void {
    const before = [...this.found.values()];
    this.found.clear();
    for (const one of before) {
      if (one.link === link) this.expect(...names);
      else this.found.set(one.link, one);
    }
  }

  tell(link: string, state: LinkState, says: string, mend: string | null = null): void {
    const ms = state === 'left-out' ? null : Math.round(performance.now() - this.begunMs);
    this.found.set(link, { link, state, ms, says, mend });
  }

  /** Looks until there is something to see; null: not in time. `share`: of the time that is left, so that something is left for what comes behind it. */
  async watch<T>(look: () => Promise<T | null>, share = 1, everyMs = LOOK_MS): Promise<T | null> {
    const { withinMs: allMs, signal } = this.options;
    const goneMs = performance.now() - this.begunMs;
    const withinMs = goneMs + Math.max(0, allMs - goneMs) * share;
    for (;;) {
      if (this.givenUp) return null;
      const seen = await look();
      if (seen !== null) return seen;
      if (signal.aborted || performance.now() - this.begunMs >= withinMs) return null;
      await delay(everyMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** A body, or null where the service could not answer just now. Throws {@link NoDrill}. */
  async get(path: string, query: Readonly<Record<string, string>> = {}): Promise<Readonly<Record<string, unknown>> | null> {
    return this.bodyOf(await this.client.get(path, query));
  }

  async post(path: string, body: object): Promise<Readonly<Record<string, unknown>> | null> {
    return this.bodyOf(await this.client.send(path, { method: 'POST', contentType: 'application/json', body: JSON.stringify(body) }));
  }

  private bodyOf(answer: Answer): Readonly<Record<string, unknown>> | null {
    if (answer.kind === 'ok') return answer.body as Readonly<Record<string, unknown>>;
    const passing = answer.kind === 'problem' && (answer.status >= 500 || answer.status === 429 || answer.status === 404);
    if (passing) return null;
    // What else is being watched is watched no longer.
    this.givenUp = true;
    throw new NoDrill(answer);
  }
}
