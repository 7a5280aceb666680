import { setTimeout as delay } from 'node:timers/promises';

/** The REST calls that a replay needs, over fetch. */
export interface CloudEvent {
  readonly specversion: '1.0';
  readonly id: string;
  readonly source: string;
  readonly subject: string;
  readonly type: string;
  readonly time: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface RunRow {
  readonly queue: string;
  readonly id: string;
  readonly verdict: string | null;
  readonly outcome: string;
  readonly decisions: readonly string[];
}

export interface Run {
  readonly looked: number;
  readonly rows: readonly RunRow[];
}

interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

/** How long partitions may be nobody's: a session, and somebody to take them. */
const LANES_MS = 60_000;

export class Api {
  constructor(readonly url: string) {}

  async send(events: readonly CloudEvent[]): Promise<void> {
    const { results } = await this.call<{ results: { outcome: string; detail?: string }[] }>('POST', '/v1/events', events);
    const bad = results.find((r) => r.outcome !== 'appended');
    if (bad !== undefined) throw new Error(`an event was not appended: ${JSON.stringify(bad)}`);
  }

  /** Moves the clock to `ms`, or only to the next decision that is due before; answers where it stands. */
  async clock(ms: number, { untilDue }: { readonly untilDue: boolean }): Promise<number> {
    const wanted = { now: new Date(ms).toISOString(), untilDue };
    const deadline = Date.now() + LANES_MS;
    let answer = await this.answer('PUT', '/v1/clock', wanted);
    // Partitions may be on their way from one replica to another: "ask again".
    while (answer.code === 'lanes_behind' && Date.now() < deadline) {
      await delay(100);
      answer = await this.answer('PUT', '/v1/clock', wanted);
    }
    return Date.parse((answered(answer) as { now: string }).now);
  }

  async reconcile(): Promise<Run> {
    return await this.call<Run>('POST', '/v1/reconciliations', {});
  }

  /** Everything of a list, page by page. */
  async all<T>(path: string): Promise<T[]> {
    const items: T[] = [];
    let next: string | null = null;
    do {
      const cursor: string = next === null ? '' : `&next=${encodeURIComponent(next)}`;
      const page: Page<T> = await this.call<Page<T>>('GET', `${path}${path.includes('?') ? '&' : '?'}limit=1000${cursor}`);
      items.push(...page.items);
      next = page.next;
    } while (next !== null);
    return items;
  }

  async get<T>(path: string): Promise<T> {
    return await this.call<T>('GET', path);
  }

  private async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    return answered(await this.answer(method, path, body)) as T;
  }

  private async answer(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const text = await response.text();
    const code = response.ok ? null : (/"code":"(\w+)"/.exec(text)?.[1] ?? null);
    return { ok: response.ok, told: `${method} ${path}: ${String(response.status)} ${text}`, text, code };
  }
}

interface Answer {
  readonly ok: boolean;
  /** For an error. */
  readonly told: string;
  readonly text: string;
  /** Of a problem. */
  readonly code: string | null;
}

function answered({ ok, told, text }: Answer): unknown {
  if (!ok) throw new Error(told);
  return JSON.parse(text);
}
