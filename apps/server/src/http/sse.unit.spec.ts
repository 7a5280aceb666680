import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as immediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { StreamItem } from '#libs/application';
import { sendStream } from './sse.js';

/** A response whose buffer is full from the start. */
class FullResponse extends EventEmitter {
  readonly written: string[] = [];
  destroyed = false;
  ended = false;

  writeHead(): this {
    return this;
  }
  write(text: string): boolean {
    this.written.push(text);
    return false;
  }
  end(): void {
    this.ended = true;
  }
  destroy(): void {
    this.destroyed = true;
  }
}

const response = () => {
  const full = new FullResponse();
  return { full, raw: full as unknown as ServerResponse };
};

async function* numbered(asked: { count: number }, last = 3): AsyncGenerator<StreamItem, void, void> {
  for (let i = 1; i <= last; i += 1) {
    asked.count = i;
    yield { id: String(i), event: 'e', data: `{"n":${String(i)}}` };
    await immediate();
  }
}

describe('sending a stream', () => {
  it('asks for the next item only when the last one has left', async () => {
    const { full, raw } = response();
    const asked = { count: 0 };
    const sending = sendStream(() => raw, numbered(asked), new AbortController().signal);
    for (let i = 1; i <= 3; i += 1) {
      while (full.written.length < i + 1) await immediate();
      await immediate();
      expect(asked.count).toBe(i);
      full.emit('drain');
    }
    expect(await sending).toEqual({ why: 'over' });
    expect(full.written.slice(1)).toEqual(
      [1, 2, 3].map((n) => `id: ${String(n)}\nevent: e\ndata: {"n":${String(n)}}\n\n`),
    );
    expect(full.ended).toBe(true);
  });

  it('tells a line end in a payload as another line of the same event', async () => {
    async function* spaced(): AsyncGenerator<StreamItem, void, void> {
      await immediate();
      yield { id: '1', event: 'e', data: '{\n"a":\r\n1,\r"b":2\n\n}' };
    }
    const { full, raw } = response();
    const sending = sendStream(() => raw, spaced(), new AbortController().signal);
    while (full.written.length < 2) await immediate();
    full.emit('drain');
    await sending;
    expect(full.written[1]).toBe('id: 1\nevent: e\ndata: {\ndata: "a":\ndata: 1,\ndata: "b":2\ndata: \ndata: }\n\n');
  });

  it('moves the id on with a heartbeat', async () => {
    async function* quiet(): AsyncGenerator<StreamItem, void, void> {
      await immediate();
      yield { heartbeat: 'h7' };
    }
    const { full, raw } = response();
    const sending = sendStream(() => raw, quiet(), new AbortController().signal);
    while (full.written.length < 2) await immediate();
    full.emit('drain');
    await sending;
    expect(full.written[1]).toBe(': heartbeat\nid: h7\n\n');
  });

  it('throws what fails before anything was sent, and ends the answer on what fails later', async () => {
    async function* refusing(): AsyncGenerator<StreamItem, void, void> {
      await Promise.reject(new Error('no such id'));
      yield { heartbeat: '' };
    }
    const never = () => {
      throw new Error('nothing may be sent');
    };
    await expect(sendStream(never, refusing(), new AbortController().signal)).rejects.toThrow('no such id');
    async function* breaking(): AsyncGenerator<StreamItem, void, void> {
      yield { heartbeat: 'h1' };
      await immediate();
      yield Promise.reject<StreamItem>(new Error('database away'));
    }
    const { full, raw } = response();
    const sending = sendStream(() => raw, breaking(), new AbortController().signal);
    while (full.written.length < 2) await immediate();
    full.emit('drain');
    expect(await sending).toMatchObject({ why: 'failed' });
    expect(full.ended).toBe(true);
  });

  it('ends while a reader takes nothing, when it is told to', async () => {
    const { full, raw } = response();
    const end = new AbortController();
    const sending = sendStream(() => raw, numbered({ count: 0 }), end.signal);
    while (full.written.length < 2) await immediate();
    end.abort();
    expect(await sending).toEqual({ why: 'over' });
  });
});
