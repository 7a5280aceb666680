import pg from 'pg';
import { pollUntil } from '#libs/testing';
import { SOURCE, type Emitter, type SentEvent } from './emitter.js';
import type { Message, Subscriber } from './subscriber.js';

/** What must hold after any number of kills. Each finding is one line; none is the goal. */
export async function findings(databaseUrl: string, emitter: Emitter, subscriber: Subscriber): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return [
      ...emitter.complaints.slice(0, 5).map((c) => `an answer nobody expects: ${c}`),
      ...(await lostEvents(client, emitter.acknowledged)),
      ...(await standing(client)),
      ...doubledCommands(subscriber.messages),
      ...(await unseen(client, subscriber)),
      ...(subscriber.resets > 0 ? [`the stream was reset ${String(subscriber.resets)} times`] : []),
    ];
  } finally {
    await client.end();
  }
}

/** What the database alone tells, however events came and messages went. */
export async function standing(client: pg.Client): Promise<string[]> {
  return [
    ...(await actedOnWatched(client)),
    ...(await commandsWithoutDecision(client)),
    ...(await commandsMissing(client)),
  ];
}

/** An acknowledged event is in the log, once. */
export async function lostEvents(
  client: pg.Client,
  acknowledged: ReadonlyMap<string, SentEvent>,
): Promise<string[]> {
  const { rows } = await client.query<{ id: string; count: string }>(
    'SELECT id, count(*) FROM jobwarden.events WHERE source = $1 GROUP BY id',
    [SOURCE],
  );
  const counts = new Map(rows.map((r) => [r.id, Number(r.count)]));
  return [...acknowledged.keys()].flatMap((id) => {
    const count = counts.get(id) ?? 0;
    return count === 1 ? [] : [`acknowledged event ${id} is in the log ${String(count)} times`];
  });
}

/** At level observe nothing is decided and nothing leaves. */
async function actedOnWatched(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ decisions: string; messages: string }>(`
    SELECT (SELECT count(*) FROM jobwarden.events e JOIN jobwarden.jobs j USING (job_key)
            JOIN jobwarden.queues q ON q.queue_id = j.queue_id WHERE q.queue = 'watched' AND e.n IS NOT NULL) AS decisions,
           (SELECT count(*) FROM jobwarden.outbound o JOIN jobwarden.queues q USING (queue_id)
            WHERE q.queue = 'watched' AND o.kind IN ('enqueue', 'stop', 'dead-letter')) AS messages`);
  const { decisions, messages } = rows[0] ?? { decisions: '?', messages: '?' };
  return decisions === '0' && messages === '0' ? [] : [`watched queue: ${decisions} decisions, ${messages} messages`];
}

/** Every message stands on an entry of the log, or a step of an incident: nothing went out that was never committed. */
async function commandsWithoutDecision(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ shard: number; number: string; kind: string }>(`
    SELECT o.shard, o.number, o.kind FROM jobwarden.outbound o
    LEFT JOIN jobwarden.events e ON e.shard = o.shard AND e.number = o.number AND e.job_key = o.job_key
    LEFT JOIN jobwarden.incident_steps s ON s.shard = o.shard AND s.number = o.number AND o.kind = 'incident'
    WHERE e.shard IS NULL AND s.shard IS NULL`);
  return rows.map((r) => `a message without its decision: ${r.kind} at ${String(r.shard)}/${r.number}`);
}

/** Every grant was sent, or skipped because it was no longer true. */
async function commandsMissing(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ shard: number; number: string }>(`
    SELECT e.shard, e.number FROM jobwarden.events e
    LEFT JOIN jobwarden.outbound o ON o.shard = e.shard AND o.number = e.number AND o.kind = 'enqueue'
    WHERE e.type = 104 AND o.shard IS NULL`);
  return rows.map((r) => `a grant was never published: ${String(r.shard)}/${r.number}`);
}

/** At most one command per (job, attempt), once repeats of one id are taken out. */
export function doubledCommands(messages: readonly Message[]): string[] {
  const ids = new Map<string, Set<string>>();
  for (const { id, type, subject, data } of messages) {
    if (type !== 'jobwarden.command.enqueue.v1') continue;
    const key = `${data.queue}/${subject}/${String(data.attempt)}`;
    ids.set(key, (ids.get(key) ?? new Set()).add(id));
  }
  return [...ids].flatMap(([key, set]) => (set.size === 1 ? [] : [`${String(set.size)} commands for ${key}`]));
}

/** A subscriber that resumes sees every command; the last ones, such as stops, may still be on their way from another replica. */
async function unseen(client: pg.Client, subscriber: Subscriber): Promise<string[]> {
  const { rows } = await client.query<{ message: string }>(
    `SELECT message FROM jobwarden.outbound WHERE kind IN ('enqueue', 'stop') AND outcome = 'sent'`,
  );
  const sent = rows.map((r) => (JSON.parse(r.message) as { id: string }).id);
  let missed: string[] = [];
  await pollUntil(
    () => {
      const seen = new Set(subscriber.messages.map((m) => m.id));
      missed = sent.filter((id) => !seen.has(id));
      return missed.length === 0;
    },
    { withinMs: 10_000 },
  );
  return missed.length === 0 ? [] : [`the subscriber missed ${String(missed.length)} of ${String(rows.length)} commands`];
}

export interface Counted {
  readonly events: number;
  readonly jobs: number;
  readonly lost: number;
  readonly commands: number;
}

export async function counted(databaseUrl: string): Promise<Counted> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<Record<keyof Counted, string>>(`
      SELECT (SELECT count(*) FROM jobwarden.events) AS events, (SELECT count(*) FROM jobwarden.jobs) AS jobs,
             (SELECT sum(attempts_lost) FROM jobwarden.queue_counters) AS lost,
             (SELECT count(*) FROM jobwarden.outbound WHERE kind = 'enqueue') AS commands`);
    const row = rows[0];
    return {
      events: Number(row?.events),
      jobs: Number(row?.jobs),
      lost: Number(row?.lost),
      commands: Number(row?.commands),
    };
  } finally {
    await client.end();
  }
}
