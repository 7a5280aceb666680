import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kafkaClient, kafkaMissing, pollUntil, ServerReplica, shiftedClock, startBroker, type Broker } from '#libs/testing';
import { TopicReader } from '../../chaos/kafka/topic-reader.js';
import { doubledCommands } from '../../chaos/verify.js';
import { notInTheirTopic } from '../../chaos/kafka/verify.js';
import { DatabaseServer } from './database-server.js';

export const PREFIX = 'trust.';
export const EVENTS = `${PREFIX}events`;
export const PARTITIONS = 3;
const OUT = ['commands', 'invalidations', 'dead-letters', 'incidents'];

export interface StageOptions {
  readonly policy: string;
  /** Of every replica, besides database, policy file and brokers. */
  readonly env?: Readonly<Record<string, string>>;
  /** A compiled main instead of the shipped one: a broken twin. JOBWARDEN_TEST_TWIN names one for a whole report. */
  readonly entry?: string;
}

/** A PostgreSQL, a broker and replicas of the shipped service: all of them real, all processes of their own. */
export class TrustStage {
  readonly replicas: ServerReplica[] = [];
  /** All that ever came to the topic of commands. */
  readonly commands: TopicReader;
  private readonly config: string;

  private constructor(
    private readonly options: StageOptions,
    private readonly folder: string,
    readonly database: DatabaseServer,
    readonly broker: Broker,
  ) {
    this.config = join(folder, 'policy.yaml');
    writeFileSync(this.config, options.policy);
    this.commands = new TopicReader(broker.brokers, `${PREFIX}commands`);
  }

  static async open(options: StageOptions): Promise<TrustStage> {
    const folder = mkdtempSync(join(tmpdir(), 'jobwarden-trust-'));
    const [database, broker] = await Promise.all([DatabaseServer.start(join(folder, 'data')), startBroker()]);
    const stage = new TrustStage(options, folder, database, broker);
    await makeTopics(broker.brokers);
    await stage.commands.start();
    return stage;
  }

  async startReplica({ clockShiftMs = 0 }: { readonly clockShiftMs?: number } = {}): Promise<ServerReplica> {
    const entry = this.options.entry ?? process.env['JOBWARDEN_TEST_TWIN'];
    const replica = await ServerReplica.start({
      ...(entry !== undefined && { entry }),
      env: {
        JOBWARDEN_DATABASE_URL: this.database.url,
        JOBWARDEN_CONFIG: this.config,
        JOBWARDEN_LOG_LEVEL: 'warn',
        JOBWARDEN_KAFKA_BROKERS: this.broker.brokers,
        JOBWARDEN_TOPIC_PREFIX: PREFIX,
        ...(clockShiftMs !== 0 && shiftedClock(clockShiftMs)),
        ...this.options.env,
      },
    });
    this.replicas.push(replica);
    return replica;
  }

  /** It ends for good: nobody sends to it any more, and then it goes, with SIGTERM unless it is killed. */
  async leave(replica: ServerReplica, how: 'ended' | 'killed' = 'ended'): Promise<void> {
    this.replicas.splice(this.replicas.indexOf(replica), 1);
    await (how === 'killed' ? replica.kill() : replica.stop());
  }

  /** All partitions are read by somebody. */
  async untilRead(): Promise<void> {
    const held = () => this.database.rows('SELECT FROM jobwarden.lanes WHERE lane >= 2 AND holds AND read_ms > 0');
    await until('all partitions are read', async () => (await held()).length === PARTITIONS);
  }

  async jobs(status: string): Promise<number> {
    const [row] = await this.database.rows<{ count: string }>('SELECT count(*) FROM jobwarden.jobs WHERE status = $1', [status]);
    return Number(row?.count);
  }

  /** Faults of what went out: two commands for one attempt, or one that is said to be sent and is not in its topic. */
  async faultsOfCommands(): Promise<readonly string[]> {
    const missing = await this.database.with((client) => notInTheirTopic(client, ['enqueue', 'stop'], this.commands));
    return [...missing, ...doubledCommands(this.commands.messages)];
  }

  /** Records of a topic, whoever may read them. */
  async records(topic: string): Promise<number> {
    const admin = kafkaClient(this.broker.brokers).admin();
    await admin.connect();
    try {
      const offsets = await admin.fetchTopicOffsets(`${PREFIX}${topic}`);
      return offsets.reduce((sum, { high, low }) => sum + Number(high) - Number(low), 0);
    } finally {
      await admin.disconnect();
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.replicas.map((replica) => replica.kill()));
    await this.commands.close().catch(() => undefined);
    await Promise.allSettled([this.database.stop(), this.broker.stop()]);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** For a figure's `leftOut`. */
export function withoutBroker(): string | null {
  return kafkaMissing();
}

export async function until(what: string, holds: () => boolean | Promise<boolean>, withinMs = 60_000): Promise<void> {
  if (!(await pollUntil(holds, { withinMs, everyMs: 100 }))) throw new Error(`not within ${String(withinMs / 1_000)} s: ${what}`);
}

/** As the service would make them, but that commands bear the broker's time too. */
async function makeTopics(brokers: string): Promise<void> {
  const admin = kafkaClient(brokers).admin();
  await admin.connect();
  const configEntries = [{ name: 'message.timestamp.type', value: 'LogAppendTime' }];
  const topic = (name: string) => ({ topic: `${PREFIX}${name}`, numPartitions: PARTITIONS, replicationFactor: 1, configEntries });
  await admin.createTopics({ waitForLeaders: true, topics: ['events', ...OUT].map(topic) });
  await admin.disconnect();
}
