import { Loop } from '#libs/application';
import { createClient, ensureTopics, type ClientLog, type EnsureTopicsOptions, type KafkaSettings } from '#libs/kafka';
import type { Logger } from 'pino';
import { Repeated } from './repeated.js';
import { libraryLog } from './settings.js';

const AGAIN_MS = 15_000;

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
 */
export class TopicsAtStart {
  private readonly loop: Loop;
  private readonly told = new Repeated();
  private done = false;

  constructor(private readonly parts: TopicsParts) {
    this.loop = new Loop(() => this.look(), { idleMs: AGAIN_MS, onError: (error) => this.failed(error) });
  }

  start(): void {
    this.loop.start();
  }

  /** Nobody waits for a question under way: the broker it was put to may be away. */
  stop(): void {
    this.done = true;
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
    return false;
  }

  private failed(error: unknown): void {
    const words = error instanceof Error ? error.message : String(error);
    if (this.told.isNew('cluster', words)) {
      this.parts.log.warn({ reason: words }, 'the topics could not be looked at; this is repeated until it works');
    }
  }
}
