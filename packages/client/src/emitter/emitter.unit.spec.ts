import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createEmitter, type Emitter, type EmitterOptions } from './emitter.js';
import { FakeTransport, LoggedLines } from './emitter.fixture.js';
import type { JobFact } from './fact.js';

const queued = (jobId: string): JobFact => ({ type: 'queued', queue: 'q', jobId });
const started = (jobId: string): JobFact => ({ type: 'started', queue: 'q', jobId, data: { worker: { id: 'w' } } });
const succeeded = (jobId: string): JobFact => ({ type: 'succeeded', queue: 'q', jobId });
const beat = (jobId: string, progress: number): JobFact => ({ type: 'heartbeat', queue: 'q', jobId, data: { progress } });

describe('an emitter', () => {
  let way: FakeTransport;
  let log: LoggedLines;
  beforeEach(() => {
    vi.useFakeTimers();
    way = new FakeTransport();
    log = new LoggedLines();
  });
  afterEach(() => vi.useRealTimers());

  const emitter = (options: Partial<EmitterOptions> = {}): Emitter => createEmitter({ transport: way, source: 'test', logger: log, ...options });
  const soon = () => vi.advanceTimersByTimeAsync(50);

  it('sends what was told in its order, as many at once as the way allows', async () => {
    const events = emitter();
    for (const id of ['1', '2', '3', '4', '5', '6']) events.tell(queued(id));
    await soon();
    expect(way.batches).toEqual([['1', '2', '3', '4'], ['5', '6']]);
    expect(events.stats()).toMatchObject({ buffered: 0, bufferedBytes: 0, sent: 6 });
  });

  it('keeps what nobody took, with the time and id that it got when it was told', async () => {
    const seen: string[] = [];
    const send = way.send.bind(way);
    way.send = (batch) => {
      seen.push(...batch.map(({ text }) => text));
      return send(batch);
    };
    way.open = false;
    const events = emitter();
    events.tell(queued('1'));
    await soon();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(events.stats()).toMatchObject({ buffered: 1, away: true });
    way.open = true;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(way.arrived).toEqual(['1']);
    expect(new Set(seen).size).toBe(1);
    expect(log.lines).toEqual([
      'warn Jobwarden cannot be reached, events are kept and sent later: nobody is there',
      expect.stringMatching(/^info Jobwarden answers again after 6\d s; nothing had to be dropped$/u),
    ]);
  });

  it('waits longer after each failure, at most five seconds', async () => {
    way.open = false;
    const tries: number[] = [];
    const send = way.send.bind(way);
    way.send = (batch) => {
      tries.push(Date.now());
      return send(batch);
    };
    emitter().tell(queued('1'));
    await vi.advanceTimersByTimeAsync(60_000);
    const waits = tries.slice(1).map((at, i) => at - tries[i]!);
    expect(waits[0]).toBeLessThanOrEqual(200);
    expect(Math.max(...waits)).toBeLessThanOrEqual(5_000);
    expect(waits.slice(6).every((ms) => ms >= 3_750)).toBe(true);
  });

  it('sends at once what waits when somebody else has heard of Jobwarden', async () => {
    way.open = false;
    const events = emitter();
    events.tell(queued('1'));
    await vi.advanceTimersByTimeAsync(60_000);
    way.open = true;
    events.wake();
    await vi.advanceTimersByTimeAsync(0);
    expect(way.arrived).toEqual(['1']);
    events.wake();
    expect(events.stats()).toMatchObject({ buffered: 0, away: false });
  });

  it('halves a batch that is refused as a whole until the culprit is alone', async () => {
    way.refuses = (id) => id === '3';
    const events = emitter();
    for (const id of ['1', '2', '3', '4']) events.tell(queued(id));
    await soon();
    expect(way.arrived).toEqual(['1', '2', '4']);
    expect(events.stats()).toMatchObject({ buffered: 0, sent: 3, rejected: 1 });
    expect(log.lines).toEqual([expect.stringMatching(/^warn jobwarden\.job\.queued\.v1 .* is given up: it has a fault$/u)]);
  });

  it('drops heartbeats first, then starts, then the oldest', async () => {
    way.open = false;
    const events = emitter({ buffer: { maxEvents: 3 } });
    events.tell(queued('1'));
    events.tell(started('2'));
    events.tell(beat('3', 1));
    for (const id of ['4', '5', '6']) events.tell(queued(id));
    expect(events.stats()).toMatchObject({ buffered: 3, dropped: { beats: 1, starts: 1, unheard: 1, facts: 0 } });
    way.open = true;
    await soon();
    expect(way.arrived).toEqual(['4', '5', '6']);
    expect(log.lines).toEqual([
      'warn the buffer of events is full: heartbeats are dropped first, then starts, then jobs that Jobwarden has not seen begin, then the oldest facts',
      'warn dropped so far for want of room: 1 heartbeats, 1 starts, 1 facts of unseen starts, 0 others',
    ]);
  });

  it('keeps longest the end of what Jobwarden has seen begin: it would be run again', async () => {
    const events = emitter({ buffer: { maxEvents: 3 } });
    events.tell(started('1'));
    events.tell({ type: 'started', queue: 'q', jobId: '2', data: { attempt: 2, worker: { id: 'w' } } });
    await soon();
    way.open = false;
    for (const id of ['1', '2']) events.tell(succeeded(id));
    for (const id of ['3', '4', '5']) for (const fact of [queued(id), started(id), succeeded(id)]) events.tell(fact);
    expect(events.stats()).toMatchObject({ buffered: 3, dropped: { starts: 3, unheard: 5, facts: 0 } });
    way.open = true;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(way.arrived).toEqual(['1', '2', '1', '2', '5']);
  });

  it('keeps within the bound of bytes', () => {
    way.open = false;
    const events = emitter({ buffer: { maxBytes: 2_000 } });
    for (let i = 0; i < 100; i += 1) events.tell({ ...queued(String(i)), data: { payload: 'x'.repeat(200) } } as JobFact);
    const { buffered, bufferedBytes, dropped } = events.stats();
    expect(bufferedBytes).toBeLessThanOrEqual(2_000);
    expect(buffered + dropped.unheard).toBe(100);
  });

  it('keeps the newest heartbeat of an attempt alone', async () => {
    way.holding = true;
    const events = emitter();
    for (const progress of [1, 2, 3]) events.tell(beat('1', progress));
    events.tell(beat('2', 1));
    expect(events.stats()).toMatchObject({ buffered: 2, dropped: { beats: 0 } });
    way.release();
    await soon();
    expect(way.arrived).toEqual(['1', '2']);
  });

  it('sends what it is asked, and what was told of that job before, ahead of everything else', async () => {
    way.holding = true;
    const events = emitter();
    for (const id of ['1', '2', '3', '4', '5', '6']) events.tell(queued(id));
    await soon();
    const answer = events.ask(started('6'));
    way.release();
    expect(await answer).toMatchObject({ outcome: 'appended', index: 1 });
    expect(way.batches.slice(0, 2)).toEqual([['1', '2', '3', '4'], ['6', '6']]);
  });

  it('does not keep whoever asks waiting while nobody answers, and sends it later', async () => {
    way.open = false;
    const events = emitter();
    expect(await events.ask(started('1'))).toBeNull();
    way.holding = true; // a try would now take for ever
    expect(await events.ask(started('2'))).toBeNull();
    way.open = true;
    way.release();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(way.arrived).toEqual(['1', '2']);
  });

  it('waits for an answer where it is asked to', async () => {
    way.open = false;
    const events = emitter();
    const answer = events.ask(started('1'), { wait: true });
    const given = new AbortController();
    const givenUp = events.ask(started('2'), { wait: true, signal: given.signal });
    await soon();
    given.abort();
    expect(await givenUp).toBeNull();
    way.open = true;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await answer).toMatchObject({ outcome: 'appended' });
  });

  it('never throws for a fact that is no JSON', () => {
    const events = emitter();
    const loop: Record<string, unknown> = {};
    loop['self'] = loop;
    events.tell({ type: 'queued', queue: 'q', jobId: '1', data: { payload: loop } });
    events.tell({ type: 'queued', queue: 'q', jobId: '1', data: { payload: 1n } });
    expect(events.stats()).toMatchObject({ buffered: 0, rejected: 2 });
  });

  it('says when it is closed whether all has arrived, and takes nothing more', async () => {
    const whole = emitter();
    whole.tell(queued('1'));
    expect(await whole.close()).toBe(true);
    whole.tell(queued('2'));
    expect(whole.stats().dropped.unheard).toBe(1);
    way.open = false;
    const rest = emitter();
    rest.tell(queued('3'));
    const closed = rest.close(1_000);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await closed).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });
});
