import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { getHeapSnapshot, getHeapStatistics } from 'node:v8';
import type { Client, EvidenceCall, Logger } from '@jobwarden/client';
import { diagnosticReport } from './diagnostic-report.js';

export interface EvidenceOptions {
  /** Node's diagnostic report: stacks, heap and handles, without environment variables, network and arguments. Default true. */
  readonly report?: boolean;
  /**
   * A heap snapshot: everything that the process has in memory, **payloads and secrets included**. While it is written the event
   * loop stands still, for about a second per 100 MB, and the process takes up to twice its memory. Default false.
   */
  readonly heapSnapshot?: boolean;
  /** A larger heap is not sent, bytes of the snapshot. Default 268,435,456. */
  readonly maxBytes?: number;
}

export interface EvidenceParts {
  readonly client: Pick<Client, 'address'>;
  /** false: nothing is ever sent. */
  readonly options: EvidenceOptions | false;
  readonly logger: Logger;
}

const DEFAULT_MAX_BYTES = 268_435_456;

type Kind = EvidenceCall['kinds'][number];

/** Sends what this process knows of itself, once for each time that an incident asks for it. Never throws. */
export class Evidence {
  private readonly asked = new Set<string>();

  constructor(private readonly parts: EvidenceParts) {}

  async send(call: EvidenceCall): Promise<void> {
    if (this.asked.has(call.id)) return;
    this.asked.add(call.id);
    const { logger } = this.parts;
    const refused: { kind: Kind; reason: string }[] = [];
    const signal = AbortSignal.timeout(Math.max(1, Math.floor(call.withinMs)));
    try {
      for (const kind of call.kinds) {
        const reason = await this.sendOne(kind, call, signal);
        if (reason !== null) refused.push({ kind, reason });
      }
      await this.post(call, 'done', Readable.from([JSON.stringify({ refused })]), { type: 'application/json', signal });
    } catch (error) {
      logger.warn(`what this process knows of itself could not be sent: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  /** Why it is not sent; null: it was. */
  private async sendOne(kind: Kind, call: EvidenceCall, signal: AbortSignal): Promise<string | null> {
    const { options, logger } = this.parts;
    const { report = true, heapSnapshot = false, maxBytes = DEFAULT_MAX_BYTES } = options === false ? { report: false } : options;
    const type = 'application/octet-stream';
    if (kind === 'report') {
      if (!report) return 'the worker does not allow it';
      await this.post(call, kind, Readable.from([JSON.stringify(diagnosticReport())]), { type, signal });
      return null;
    }
    // Whatever this release does not know it does not send.
    if ((kind as string) !== 'heap-snapshot' || !heapSnapshot) return 'the worker does not allow it';
    const most = Math.min(maxBytes, call.maxBytes);
    const { used_heap_size: used } = getHeapStatistics();
    if (used > most) return `the heap has ${String(used)} bytes, and ${String(most)} are allowed`;
    logger.warn('a heap snapshot is written, as an incident asks: the event loop stands still meanwhile');
    try {
      await this.post(call, kind, atMost(getHeapSnapshot(), most), { type, signal });
      return null;
    } catch (error) {
      if (error instanceof TooLarge) return error.message;
      throw error;
    }
  }

  private async post(call: EvidenceCall, what: string, body: Readable, { type, signal }: { readonly type: string; readonly signal: AbortSignal }): Promise<void> {
    const { url, headers } = this.parts.client.address(`/v1/evidence/${call.id}/${what}`);
    const request = url.startsWith('https:') ? requestHttps : requestHttp;
    const sent = request(url, { method: 'POST', signal, headers: { ...headers, 'content-type': type, 'jobwarden-evidence-key': call.key } });
    const answered = new Promise<number>((resolve, reject) => {
      sent.on('response', (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      sent.on('error', reject);
    });
    // An answer that comes before the end is the reason why the rest is not taken.
    const piped = pipeline(body, sent);
    piped.catch(() => undefined);
    answered.catch(() => undefined);
    const status = await Promise.race([answered, piped.then(() => answered)]);
    body.destroy();
    if (status !== 200) throw new Error(`POST /v1/evidence/${call.id}/${what} was answered ${String(status)}`);
  }
}

class TooLarge extends Error {}

function atMost(stream: Readable, most: number): Readable {
  return Readable.from(
    (async function* () {
      let bytes = 0;
      for await (const piece of stream as AsyncIterable<Buffer>) {
        bytes += piece.length;
        if (bytes > most) throw new TooLarge(`the snapshot has over ${String(most)} bytes`);
        yield piece;
      }
    })(),
  );
}
