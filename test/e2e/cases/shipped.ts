import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { ServerReplica } from '#libs/testing';

export interface ShippedOptions {
  /** Absent: the embedded one, below `JOBWARDEN_DATA_DIR`. */
  readonly databaseUrl?: string;
  /** The policy file's text. */
  readonly policy: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Answer<T = Readonly<Record<string, unknown>>> {
  readonly status: number;
  readonly body: T;
}

export interface CloudEvent {
  readonly id: string;
  readonly subject: string;
  readonly type: string;
  readonly time?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The shipped service on a policy file of its own, and calls on it. */
export class Shipped {
  private constructor(
    private readonly replica: ServerReplica,
    private readonly folder: string,
  ) {}

  static async start({ databaseUrl, policy, env }: ShippedOptions): Promise<Shipped> {
    const folder = mkdtempSync(join(tmpdir(), 'jobwarden-case-'));
    const config = join(folder, 'policy.yaml');
    writeFileSync(config, policy);
    const ours = { HOME: folder, ...(databaseUrl !== undefined && { JOBWARDEN_DATABASE_URL: databaseUrl }), JOBWARDEN_CONFIG: config, JOBWARDEN_LOG_LEVEL: 'warn' };
    return new Shipped(await ServerReplica.start({ env: { ...ours, ...env } }), folder);
  }

  get url(): string {
    return this.replica.url;
  }

  get output(): string {
    return this.replica.output;
  }

  async startAgain(): Promise<void> {
    await this.replica.startAgain();
  }

  async call<T = Readonly<Record<string, unknown>>>(method: string, path: string, body?: unknown): Promise<Answer<T>> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    return { status: response.status, body: (await response.json()) as T };
  }

  async get<T>(path: string): Promise<T> {
    const { status, body } = await this.call<T>('GET', path);
    if (status !== 200) throw new Error(`${path}: ${String(status)} ${JSON.stringify(body)}`);
    return body;
  }

  /** Everything of a list, page by page. */
  async all<T>(path: string): Promise<T[]> {
    const items: T[] = [];
    for (let next: string | null = ''; next !== null; ) {
      const cursor: string = next === '' ? '' : `&next=${encodeURIComponent(next)}`;
      const page: { items: T[]; next: string | null } = await this.get(`${path}${path.includes('?') ? '&' : '?'}limit=1000${cursor}`);
      items.push(...page.items);
      next = page.next;
    }
    return items;
  }

  /** In batches; answers the outcomes in order. */
  async send(events: readonly CloudEvent[]): Promise<string[]> {
    const outcomes: string[] = [];
    for (let at = 0; at < events.length; at += 500) {
      const batch = events.slice(at, at + 500).map(enveloped);
      const { body } = await this.call<{ results: { outcome: string }[] }>('POST', '/v1/events', batch);
      outcomes.push(...body.results.map((r) => r.outcome));
    }
    return outcomes;
  }

  /** As an operator ends it: its partitions are free at once. */
  async stop(): Promise<void> {
    await this.replica.stop();
  }

  /** kill -9. */
  async kill(): Promise<void> {
    await this.replica.kill();
  }

  /** For afterEach. */
  async end(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export function enveloped(event: CloudEvent): object {
  return { specversion: '1.0', source: 'case', ...event };
}

let count = 0;

/** `started`, or a whole type. */
export function event(type: string, subject: string, data: Readonly<Record<string, unknown>> = {}): CloudEvent {
  count += 1;
  const full = type.includes('.') ? type : `jobwarden.job.${type}.v1`;
  return { id: `e${String(count)}`, subject, type: full, data: { queue: 'q', ...data } };
}

export function range<T>(count: number, make: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}

/** As the database's owner. */
export async function asOwner<T extends object>(url: string, text: string, values: readonly unknown[] = []): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<T>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}

/** The lanes' clock of this database moves by `PUT /v1/clock` alone, from `ms` on. For a database that nobody uses yet. */
export async function manualClock(url: string, ms: number): Promise<void> {
  await asOwner(url, `UPDATE jobwarden.installation SET clock_mode = 'manual', clock_ms = $1`, [ms]);
}

/** One after the other would take long, all at once would be more than the service has connections for. */
export async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<void>, atOnce = 16): Promise<void> {
  const left = [...items];
  await Promise.all(
    range(atOnce, async () => {
      for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
    }),
  );
}
