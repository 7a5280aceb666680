import { FactWriter, factItem, LANE_HTTP, type FactItem, type FactOutcome, type PolicySource } from '#libs/application';
import { builtInPolicy, parsePolicy, resolvePolicy, type PolicyFile } from '#libs/config';
import { parseContext, parseEvent, type ParseContext } from '#libs/contracts';
import { Database, PgLogStore, QueueIds, readInstallation } from '#libs/postgres';
import type { SentEvent } from './job-load.js';

/** What a transport is wired to, as the service wires it: policies as the file gives them, the role that may only append. */
export interface Stack {
  readonly database: Database;
  readonly log: PgLogStore;
  readonly queueIds: QueueIds;
  readonly writer: FactWriter;
  readonly context: ParseContext;
  readonly policies: PolicySource;
  /** Idempotent. */
  close(): Promise<void>;
}

export interface StackOptions {
  readonly poolSize: number;
  /** Text of a policy file. Default: the built-in policies. */
  readonly policy?: string;
  /** As the owner: to load, or to look. Default false. */
  readonly owner?: boolean;
}

/** Name of the stack's connections, on the server. */
export const WRITER = 'jobwarden-bench-writer';

export async function openStack(url: string, { poolSize, policy, owner = false }: StackOptions): Promise<Stack> {
  const role = owner ? {} : { role: 'jobwarden_app' };
  const database = new Database({ url, poolSize, applicationName: WRITER, ...role });
  const { shards, hashKey } = await readInstallation({ query: async (text) => await database.query(text) });
  const queueIds = new QueueIds(database);
  const log = new PgLogStore(database, queueIds, { shards });
  const policies = policiesOf(policy);
  let closed: Promise<void> | undefined;
  return {
    database,
    log,
    queueIds,
    policies,
    writer: new FactWriter(log, policies, LANE_HTTP),
    context: parseContext({ hashKey }),
    close: async () => await (closed ??= database.close()),
  };
}

function policiesOf(text: string | undefined): PolicySource {
  const file = text === undefined ? builtInPolicy() : parsed(text);
  return {
    version: file.version,
    policyFor: ({ namespace, queue }, kind) => {
      const { policy, sources } = resolvePolicy(file, { namespace, queue, ...(kind !== null && { kind }) });
      return { policy, sources, levels: policy.levels };
    },
  };
}

function parsed(text: string): PolicyFile {
  const result = parsePolicy(text, 'bench.yaml');
  if (!result.ok) throw new Error(`the policy is broken: ${JSON.stringify(result.faults)}`);
  return result.value;
}

/**
 * What a transport does with the texts of its batches: takes the next one apart while the one before is written, one
 * transaction after the other. Throws unless every event was appended.
 */
export async function takeIn(stack: Stack, bodies: readonly string[]): Promise<void> {
  let writing: Promise<void> = Promise.resolve();
  for (const body of bodies) {
    const items = await itemsOf(stack, body);
    await writing;
    writing = stack.writer.append(items).then(allAppended);
    // Whoever fails here is awaited a batch later.
    writing.catch(() => undefined);
  }
  await writing;
}

/** Events that are read before the database's answers get their turn again: reading all of a batch takes longer than it. */
const SLICE = 100;

async function itemsOf(stack: Stack, body: string): Promise<FactItem[]> {
  const events = JSON.parse(body) as SentEvent[];
  const items: FactItem[] = [];
  for (let at = 0; at < events.length; at += SLICE) {
    for (const event of events.slice(at, at + SLICE)) items.push(itemOf(event, stack.context));
    await new Promise(setImmediate);
  }
  return items;
}

export function allAppended(outcomes: readonly FactOutcome[]): void {
  const other = outcomes.find((o) => o.outcome !== 'appended');
  if (other !== undefined) throw new Error(`an event was not appended: ${JSON.stringify(other)}`);
}

export function itemOf(event: SentEvent, context: ParseContext): FactItem {
  const read = parseEvent(event, context);
  if (!read.ok) throw new Error(`the load is broken: ${read.detail}`);
  if (read.kind !== 'fact') throw new Error('the load holds something else than facts');
  return factItem(read);
}
