import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createTestDatabase, ServerReplica, type TestDatabase } from '#libs/testing';

/** Tokens that each browser test may sign in with. */
export const TOKENS = {
  admin: 'test-admin-token',
  operator: 'test-operator-token',
  reader: 'test-reader-token',
  /** Sees the namespace `tenant` alone. */
  tenant: 'test-tenant-token',
  emitter: 'test-emitter-token',
} as const;

const entry = (name: keyof typeof TOKENS, scopes: string, namespaces = '"*"') =>
  `  - {name: ${name}, hash: ${createHash('sha256').update(TOKENS[name]).digest('hex')}, scopes: [${scopes}], namespaces: [${namespaces}]}`;
const TOKEN_ENTRIES = [
  'tokens:',
  entry('admin', 'admin'),
  entry('operator', 'read, operate'),
  entry('reader', 'read'),
  entry('tenant', 'read, operate', 'tenant'),
  entry('emitter', 'emit'),
].join('\n');

export interface ServiceOptions {
  /** The policy file, without tokens. Default: nothing in it. */
  readonly policy?: string;
  /** Without tokens whoever reaches the service may do everything. Default true. */
  readonly tokens?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** The lanes' clock stands at this instant, ms, until {@link DashboardService.pass} moves it: nothing has to be waited for. Left out: it goes by itself. */
  readonly clockMs?: number;
}

export interface TestEvent {
  /** `queued`, `started`, `heartbeat`, `succeeded`, `failed` … */
  readonly fact: string;
  readonly id: string;
  readonly namespace?: string;
  readonly traceparent?: string;
  /** `queue` and whatever else the fact has. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The payload as JSON text, for what JSON.stringify would spell otherwise. */
  readonly payloadText?: string;
}

/** The shipped service, built, as a process of its own on a database of the test's own. */
export class DashboardService {
  private constructor(
    readonly replica: ServerReplica,
    readonly database: TestDatabase,
    private readonly folder: string,
    private laneMs: number | undefined,
  ) {}

  static async start({ policy = '', tokens = true, env = {}, clockMs }: ServiceOptions = {}): Promise<DashboardService> {
    const folder = mkdtempSync(join(tmpdir(), 'jobwarden-browser-'));
    const config = join(folder, 'policy.yaml');
    writeFileSync(config, tokens ? `${policy}\n${TOKEN_ENTRIES}\n` : policy);
    const database = await createTestDatabase();
    try {
      if (clockMs !== undefined) await standsAt(database.url, clockMs);
      const replica = await ServerReplica.start({ env: { JOBWARDEN_DATABASE_URL: database.url, JOBWARDEN_CONFIG: config, ...env } });
      return new DashboardService(replica, database, folder, clockMs);
    } catch (error) {
      await database.drop();
      throw error;
    }
  }

  get url(): string {
    return this.replica.url;
  }

  /** The answer's JSON. Throws for anything but 2xx. */
  async call(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    return JSON.parse(await this.text(path, method, body)) as Record<string, unknown>;
  }

  /** The answer's text; a body that is a text already is sent as it is. Throws for anything but 2xx. */
  async text(path: string, method = 'GET', body?: unknown, more: Readonly<Record<string, string>> = {}): Promise<string> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${TOKENS.admin}`, ...(body !== undefined && { 'content-type': 'application/json' }), ...more },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${String(response.status)} ${text}`);
    return text;
  }

  /** Sends events; each must have been appended. */
  async send(...events: readonly TestEvent[]): Promise<void> {
    const { results } = await this.call('POST', '/v1/events', `[${events.map(eventText).join(',')}]`);
    const bad = (results as readonly { readonly outcome: string }[]).find(({ outcome }) => outcome === 'refused' || outcome === 'quarantined');
    if (bad !== undefined) throw new Error(JSON.stringify(bad));
  }

  /** The lanes' clock goes on by so much, ms. */
  async pass(ms: number): Promise<void> {
    if (this.laneMs === undefined) throw new Error('this service was not given a clock');
    this.laneMs += ms;
    await this.call('PUT', '/v1/clock', { now: new Date(this.laneMs).toISOString() });
  }

  async stop(): Promise<void> {
    await this.replica.stop();
    await this.database.drop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** As the database's owner, before anybody uses it. */
async function standsAt(url: string, ms: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`UPDATE jobwarden.installation SET clock_mode = 'manual', clock_ms = $1`, [ms]);
  } finally {
    await client.end();
  }
}

function eventText(event: TestEvent): string {
  const { payloadText } = event;
  if (payloadText === undefined) return JSON.stringify(cloudEvent(event));
  const mark = randomUUID();
  return JSON.stringify(cloudEvent({ ...event, data: { ...event.data, payload: mark } })).replace(JSON.stringify(mark), () => payloadText);
}

function cloudEvent({ fact, id, namespace, traceparent, data }: TestEvent): object {
  return {
    specversion: '1.0',
    type: `jobwarden.job.${fact}.v1`,
    source: 'browser-test',
    id: randomUUID(),
    subject: id,
    time: new Date().toISOString(),
    ...(namespace !== undefined && { namespace }),
    ...(traceparent !== undefined && { traceparent }),
    data,
  };
}
