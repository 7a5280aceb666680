import { setTimeout as delay } from 'node:timers/promises';
import { SOURCE, type SentEvent } from '../../chaos/emitter.js';
import { FirmProducer } from '../../kafka/loss/firm-producer.js';
import { EVENTS, PARTITIONS, type TrustStage } from './stage.js';

/** How a worker's events come in. */
export interface Way {
  /** Repeated until it is acknowledged. The broker's append time of the last of them, ms, where there is a broker. */
  send(events: readonly SentEvent[], stopped: () => boolean): Promise<number | null>;
  close(): Promise<void>;
}

export class KafkaWay implements Way {
  private readonly producer: FirmProducer;

  constructor(brokers: string) {
    this.producer = new FirmProducer({ brokers, topic: EVENTS, partitions: PARTITIONS });
  }

  async send(events: readonly SentEvent[], stopped: () => boolean): Promise<number | null> {
    const written = await this.producer.send(events, stopped);
    return written === null ? null : Math.max(...written.map(({ logAppendTime = '-1' }) => Number(logAppendTime)));
  }

  async close(): Promise<void> {
    await this.producer.close();
  }
}

/** As behind a load balancer: whoever does not answer in time is passed over for the next. */
const ANSWER_MS = 1_000;

export class HttpWay implements Way {
  /** Answers that were neither an acknowledgement nor a reason to repeat. */
  readonly complaints: string[] = [];
  private turn = 0;

  constructor(private readonly stage: Pick<TrustStage, 'replicas'>) {}

  async send(events: readonly SentEvent[], stopped: () => boolean): Promise<null> {
    const body = JSON.stringify(events.map((event) => ({ specversion: '1.0', source: SOURCE, ...event })));
    while (!stopped()) {
      const replicas = this.stage.replicas;
      const to = replicas[this.turn % replicas.length];
      if (to !== undefined && (await this.post(to.url, body))) return null;
      this.turn += 1;
      await delay(20);
    }
    return null;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private async post(url: string, body: string): Promise<boolean> {
    try {
      const response = await fetch(`${url}/v1/events`, {
        method: 'POST',
        headers: { 'content-type': 'application/cloudevents-batch+json' },
        body,
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      const text = await response.text();
      if (response.status >= 500) return false;
      if (!response.ok) this.complaints.push(`${String(response.status)} ${text}`);
      return true;
    } catch {
      return false;
    }
  }
}
