import type { Environment, PolicySource } from '#libs/config';
import type { Metrics } from '#libs/observability';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import { buildApp } from '../http/build-app.js';
import { compose } from '../wiring/compose.js';
import type { Composition } from '../wiring/composition.js';
import { Databases } from '../wiring/databases.js';
import { LoopDelay } from '../metrics/loop-delay.js';
import { warnOfUnreadLanes } from '../wiring/kafka.js';
import type { Webhooks } from '../wiring/webhooks.js';
import { startEmbedded, type EmbeddedDatabase } from './embedded.js';
import { failpointOf } from './failpoint.js';
import { Gate } from './gate.js';
import { Lifecycle } from './lifecycle.js';
import { schemaInForce } from './schema.js';
import { within } from './within.js';

export interface StartParts {
  readonly environment: Environment;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly files: PolicySource;
  readonly webhooks: Webhooks;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** Answers under way at the end get so long; what streams ends at once. */
const GRACE_MS = 10_000;

/**
 * The process, from its first to its last moment.
 *
 *   start: listen for probes → embedded PostgreSQL → migrate → pools → use cases → serve → reconcile and publish
 *   stop:  not ready → no new connections, no new batches from Kafka → answers and batches under way
 *          → the group of readers left → loops, leases given back → what goes to Kafka → pools → PostgreSQL
 *
 * `stop` may come at any time, also in the middle of the start, and more than once.
 */
export class Service {
  private readonly lifecycle = new Lifecycle();
  private gate: Gate | null = null;
  private embedded: EmbeddedDatabase | null = null;
  private databases: Databases | null = null;
  private composition: Composition | null = null;
  private app: NestFastifyApplication | null = null;
  private working = false;
  private stopping: Promise<void> | null = null;

  private readonly loopDelay: LoopDelay;

  constructor(private readonly parts: StartParts) {
    this.loopDelay = new LoopDelay(parts.metrics);
  }

  get url(): string {
    return this.gate?.url ?? '';
  }

  /** Resolves once it serves; also when it was stopped before it did. */
  async start(): Promise<void> {
    const { environment, env, files, webhooks, metrics, log } = this.parts;
    this.gate = await Gate.open(environment.http, this.lifecycle);
    this.loopDelay.start();
    const url = await this.databaseUrl();
    this.lifecycle.to('migrating');
    const installation = await schemaInForce(url, { environment, log, signal: this.lifecycle.ending });
    if (this.hasEnded() || installation === null) return;
    this.databases = new Databases(url, environment.database.mode === 'external' ? environment.database.pooling : 'session');
    const { lifecycle, databases } = this;
    await databases.checkRole();
    const failpoint = failpointOf(env);
    this.composition = compose({
      environment,
      env,
      installation,
      databases,
      files,
      webhooks,
      lifecycle,
      metrics,
      log,
      failpoint,
    });
    const { services, loops, kafka } = this.composition;
    await loops.clock.start();
    // Before anything is decided or sent: of a restored database that would be by what is no longer true.
    await loops.noticeRestore();
    await loops.learning.thresholds.refresh();
    const { gate } = this;
    const server = { instance: gate.server, use: gate.use.bind(gate) };
    const strategy = kafka.kafkaIn?.strategy;
    const dashboard = environment.dashboard === 'on' && environment.roles.includes('api');
    this.app = (await buildApp(services, { roles: environment.roles, dashboard, server, ...(strategy && { strategy }) })).app;
    await loops.clock.opened();
    if (this.hasEnded()) return;
    loops.levels.start();
    loops.learning.loop.start();
    this.working = environment.roles.includes('work');
    if (this.working) await this.startWorking(this.app, this.composition);
    files.start();
    this.lifecycle.to('ready');
  }

  stop(): Promise<void> {
    this.stopping ??= this.shutDown();
    return this.stopping;
  }

  private async startWorking(app: NestFastifyApplication, { services, loops, kafka }: Composition): Promise<void> {
    for (const loop of loops.work) loop.start();
    if (this.parts.environment.kafka === null) await warnOfUnreadLanes(services.reads, this.parts.log);
    kafka.kafkaIn?.start();
    kafka.kafkaOut?.start();
    await app.startAllMicroservices();
  }

  /** A call, so that the compiler does not take an answer from before a wait for the one after it. */
  private hasEnded(): boolean {
    return this.lifecycle.phase === 'draining';
  }

  private async databaseUrl(): Promise<string> {
    const { environment, log } = this.parts;
    if (environment.database.mode === 'external') return environment.database.url.reveal();
    this.embedded = await startEmbedded(environment.database.dataDir, log);
    return this.embedded.url;
  }

  private async shutDown(): Promise<void> {
    const { files, log } = this.parts;
    log.info('ending: no new work, what is under way is finished');
    this.lifecycle.to('draining');
    files.stop();
    const { loops, kafka } = this.composition ?? {};
    const kafkaDrained = this.working ? this.step('reading from Kafka', () => within(GRACE_MS, kafka?.kafkaIn?.drain())) : null;
    await this.step('listening', () => this.gate?.close(GRACE_MS));
    await kafkaDrained;
    await this.step('the application', () => within(GRACE_MS, this.app?.close()));
    if (this.working) {
      await this.step('the loops', () => Promise.all(loops?.work.map((loop) => loop.stop()) ?? []));
      await this.step('writing to Kafka', () => within(GRACE_MS, kafka?.kafkaOut?.stop()));
    }
    await this.step('learning', () => loops?.learning.loop.stop());
    await this.step('the levels', () => loops?.levels.stop());
    await this.step('the beats', () => loops?.clock.stop());
    await this.step('the pools', () => this.databases?.close());
    await this.step('PostgreSQL', () => this.embedded?.stop());
    this.loopDelay.stop();
    log.info('ended');
  }

  /** One part that cannot be stopped must not keep the others from it. */
  private async step(what: string, stop: () => Promise<unknown> | undefined): Promise<void> {
    try {
      await stop();
    } catch (error) {
      this.parts.log.error({ err: error }, `${what} could not be stopped cleanly`);
    }
  }
}
