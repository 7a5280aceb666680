import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { readEnvironment } from '#libs/config';
import { pino } from 'pino';
import { openPolicies } from '../src/boot/open-policies.js';
import { Service } from '../src/boot/start.js';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Of an answer that is no JSON: empty. */
  readonly body: Body;
  readonly text: string;
}

/** Whatever any route answers: a test knows which fields it asked for. */
export interface Body {
  readonly items: readonly Item[];
  readonly next: string | null;
  readonly results: readonly { readonly outcome: string; readonly [field: string]: unknown }[];
  readonly id: string;
  readonly status: string | number;
  readonly code: string;
  readonly detail: string;
  readonly errors: readonly { readonly field: string; readonly rule: string; readonly send: string }[];
  readonly decisions: readonly { readonly by: string; readonly [field: string]: unknown }[];
  readonly attempts: unknown;
  readonly rows: unknown;
  readonly now: string;
  readonly nextDue: unknown;
  readonly levels: Readonly<Record<string, string>>;
  readonly enabled: boolean;
  readonly [field: string]: unknown;
}

/** Whatever any list holds. */
export interface Item {
  readonly id: string;
  readonly status: string;
  readonly queue: string;
  readonly kind: string | null;
  readonly subject: string;
  readonly jobId: string;
  readonly entryId: string;
  readonly namespace: string | null;
  readonly body: string;
  readonly encoding: string;
  readonly values: Readonly<Record<string, { readonly origin: { readonly layer: string } }>>;
  readonly quantiles: { readonly p50Ms: number };
  readonly [field: string]: unknown;
}

export interface CallOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The whole service in this process, on a database of the test's own, listening on a free port. */
export class TestService {
  private constructor(
    readonly service: Service,
    readonly logged: readonly string[],
    private readonly folder: string,
  ) {}

  static async start(
    databaseUrl: string,
    policy = '',
    env: Readonly<Record<string, string>> = {},
  ): Promise<TestService> {
    const folder = mkdtempSync(join(tmpdir(), 'jobwarden-server-'));
    const config = join(folder, 'policy.yaml');
    writeFileSync(config, policy);
    const variables = {
      JOBWARDEN_DATABASE_URL: databaseUrl,
      JOBWARDEN_CONFIG: config,
      JOBWARDEN_HTTP_PORT: '0',
      ...env,
    };
    const parsed = readEnvironment(variables);
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
    const logged: string[] = [];
    const log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) });
    const opened = await openPolicies(parsed.value, variables, log);
    if (!opened.ok) throw new Error(JSON.stringify(opened.faults));
    const service = new Service({ environment: parsed.value, env: variables, log, ...opened.value });
    const test = new TestService(service, logged, folder);
    try {
      await service.start();
    } catch (error) {
      await test.stop();
      throw error;
    }
    return test;
  }

  get url(): string {
    return this.service.url;
  }

  /** The file is read again by itself, within a few seconds. */
  changePolicy(text: string): void {
    writeFileSync(join(this.folder, 'policy.yaml'), text);
  }

  async stop(): Promise<void> {
    await this.service.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async call(method: string, path: string, { body, headers }: CallOptions = {}): Promise<Answer> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = /[/+]json\b/u.test(response.headers.get('content-type') ?? '');
    return { status: response.status, headers: response.headers, body: (json ? JSON.parse(text) : {}) as Body, text };
  }

  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer> {
    return this.call('GET', path, headers === undefined ? {} : { headers });
  }

  /** Sends a batch; every event must have been taken in. */
  async send(...events: readonly object[]): Promise<Answer> {
    const answer = await this.call('POST', '/v1/events', { body: events });
    const bad =
      answer.status === 200
        ? answer.body.results.find((r) => r.outcome === 'refused' || r.outcome === 'quarantined')
        : answer.body;
    if (bad !== undefined) throw new Error(JSON.stringify(bad));
    return answer;
  }
}

let count = 0;

/** An event of a job in `emails`, unless `data` says otherwise. */
export function event(
  type: string,
  job: string,
  data: Readonly<Record<string, unknown>> = {},
  envelope: object = {},
): Record<string, unknown> {
  count += 1;
  return {
    specversion: '1.0',
    id: `e${String(count)}`,
    source: '/test',
    subject: job,
    type: `jobwarden.job.${type}.v1`,
    data: { queue: 'emails', ...data },
    ...envelope,
  };
}

/** The event as JSON text, with a payload in just these words. */
export function eventText(one: Readonly<Record<string, unknown>>, payload: string): string {
  const { data, ...envelope } = one;
  return JSON.stringify({ ...envelope, data: { ...(data as object), payload: '\u00a7' } }).replace('"\u00a7"', () => payload);
}

export const worker = (id: string) => ({ worker: { id } });

/** Runs one statement as the database's owner: what no call of the API does. */
export async function asOwner(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(text, [...values]);
    return rows;
  } finally {
    await client.end();
  }
}
