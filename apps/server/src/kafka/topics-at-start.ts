import { Loop } from '#libs/application';
import { createClient, ensureTopics, type ClientLog, type EnsureTopicsOptions, type KafkaSettings } from '#libs/kafka';
import type { Logger } from 'pino';
import { Repeated } from './repeated.js';
import { libraryLog } from './settings.js';

const AGAIN_MS = 15_000;
/** A broker that is away is no reason to put off for longer what waits for the first look. */
const FIRST_LOOK_MS = 2_000;

export interface TopicsParts {
  readonly settings: KafkaSettings;
  readonly clientId: string;
  readonly clientLog: ClientLog;
  readonly options: EnsureTopicsOptions;
  readonly log: Logger;
}

/**
 * Makes the topics that are missing, in the background, and goes on looking until there is nothing to say against them:
 * a right that is given later, or a topic that is mended, needs no restart.
 *
 *   start ──► first look ──answer, failure, two seconds, stop──► looked; further looks beside it
 */
export class TopicsAtStart {
  private readonly loop: Loop;
  private readonly told = new Repeated();
  private done = false;
  private readonly first = Promise.withResolvers<undefined>();

  /**
   * The first look is over, however it ended; of topics that it has made, nobody need say that they are missing. It
   * resolves in any case, two seconds after the start at the latest.
   */
  readonly looked: Promise<void> = this.first.promise;

  constructor(private readonly parts: TopicsParts) {
    this.loop = new Loop(() => this.look(), { idleMs: AGAIN_MS, onError: (error) => this.failed(error) });
  }

  start(): void {
    const late = setTimeout(() => this.first.resolve(undefined), FIRST_LOOK_MS);
    void this.first.promise.then(() => clearTimeout(late));
    this.loop.start();
  }

  /** Nobody waits for a question under way: the broker it was put to may be away. */
  stop(): void {
    this.done = true;
    this.first.resolve(undefined);
    void this.loop.stop();
  }

  private async look(): Promise<boolean> {
    if (this.done) return false;
    const { settings, clientId, clientLog, options, log } = this.parts;
    const { created, faults } = await ensureTopics(createClient(settings, clientId, libraryLog(clientLog)), settings, options);
    if (created.length > 0) log.info({ topics: created }, 'topics were made');
    for (const { topic, code, message, serious } of faults) {
      if (!this.told.isNew(`${topic} ${code}`, message)) continue;
      log[serious ? 'error' : 'warn']({ topic, code }, message);
    }
    this.done ||= faults.length === 0;
    this.first.resolve(undefined);
    return false;
  }

  private failed(error: unknown): void {
    this.first.resolve(undefined);
    const words = error instanceof Error ? error.message : String(error);
    if (this.told.isNew('cluster', words)) {
      this.parts.log.warn({ reason: words }, 'the topics could not be looked at; this is repeated until it works');
    }
  }
}
