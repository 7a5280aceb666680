import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS, jobKey } from '#libs/contracts';
import type { JobStanding } from '../ports/compare-store.port.js';
import { Compare, type CompareOptions, type CompareRequest } from './compare.js';
import type { CompareItem, Difference, MendRequest } from './difference.js';
import { Meter } from './meter.js';
import { statusWords } from './status-words.js';

const NOW = 1_000;
const keyOf = (id: string, queue = 'q') => jobKey({ namespace: 'default', queue, id }).toString('hex');

/** Rows in memory, with what was asked of them; `settled` is what the second look finds. */
function world(rows: Readonly<Record<string, JobStanding>>) {
  const jobs = new Map(Object.entries(rows).map(([id, row]) => [keyOf(id), { id, ...row }]));
  const asked: number[] = [];
  let askedInAll = 0;
  const pauses: number[] = [];
  const mended: Difference[] = [];
  let [clockMs, meanwhile] = [0, (): void => undefined];
  const compare = (options: CompareOptions = {}) =>
    new Compare(
      {
        store: {
          laneNowMs: () => Promise.resolve(NOW),
          standings: (keys) => {
            asked.push(keys.length);
            askedInAll += keys.length;
            return Promise.resolve(new Map(keys.flatMap((k) => (jobs.has(k) ? [[k, jobs.get(k) as JobStanding]] : []))));
          },
          live: ({ untilMs }, { limit, after }) => {
            const all = [...jobs].map(([keyHex, job]) => ({ keyHex, ...job })).filter((j) => j.status === 'processing' && j.sinceMs <= untilMs);
            const from = Number(after ?? 0);
            return Promise.resolve({ items: all.slice(from, from + limit), next: from + limit < all.length ? String(from + limit) : null });
          },
        },
        mender: {
          mend: (differences) => {
            mended.push(...differences);
            return Promise.resolve(differences.map(() => ({ outcome: 'done' as const, why: null })));
          },
        },
        pause: (ms) => {
          pauses.push(ms);
          clockMs += ms;
          meanwhile();
          return Promise.resolve();
        },
        nowMs: () => clockMs,
      },
      options,
    );
  const change = (id: string, row: JobStanding | null) => {
    if (row === null) jobs.delete(keyOf(id));
    else jobs.set(keyOf(id), { id, ...row });
  };
  return { compare, asked, askedInAll: () => askedInAll, pauses, mended, change, meanwhile: (work: () => void) => void (meanwhile = work) };
}

const parsed = statusWords(undefined, 'bullmq');
const REQUEST: CompareRequest = {
  namespace: 'default',
  queue: 'q',
  words: parsed.ok ? parsed.words : () => null,
  maySee: () => true,
  limits: DEFAULT_LIMITS,
  complete: false,
  asOfMs: null,
  mend: null,
};
const MEND: MendRequest = { mend: 'requeue', reason: 'r', by: 'ann' };
const line = (id: string, status: string) => `${JSON.stringify({ id, status })}\n`;
const at = (status: JobStanding['status'], sinceMs = 1, attempt = 1): JobStanding => ({ status, attempt, sinceMs });

async function* lines(texts: Iterable<string>): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield await Promise.resolve(Buffer.from(text));
}

async function run(compare: Compare, texts: Iterable<string>, request: Partial<CompareRequest> = {}, signal = new AbortController().signal) {
  const items: CompareItem[] = [];
  for await (const item of compare.run(lines(texts), { ...REQUEST, ...request }, signal)) items.push(item);
  const last = items.at(-1);
  if (last?.type !== 'summary') throw new Error('the summary comes last');
  const told = items.flatMap((i) => (i.type === 'difference' ? [`${i.difference.kind} ${i.difference.ref.id}`] : []));
  return { items, told, summary: last.summary };
}

describe('a comparison', () => {
  it('tells each difference once it has been looked at twice, and counts the rest', async () => {
    const { compare, pauses } = world({ a: at('succeeded'), b: at('processing'), c: at('queued') });
    const list = [line('a', 'active'), line('b', 'active'), 'no json\n', line('c', 'completed'), line('x', 'waiting')];
    const { told, items, summary } = await run(compare(), list);
    expect(told).toEqual(['theirs_behind a', 'theirs_ahead c', 'unknown_here x']);
    expect(items[0]).toMatchObject({ type: 'broken', broken: { line: 3, reason: 'not_json' } });
    expect(summary).toMatchObject({ compared: 4, same: 1, moved: 0, broken: 1, mended: null, asOfMs: NOW });
    expect(summary.differences).toMatchObject({ theirs_behind: 1, theirs_ahead: 1, unknown_here: 1, unknown_there: 0 });
    expect(pauses).toEqual([1_000]);
  });

  it('takes for no difference what has only moved', async () => {
    const { compare, change, meanwhile } = world({
      since: at('succeeded', NOW + 1),
      late: at('processing'),
      gone: at('processing'),
      stays: at('succeeded'),
    });
    meanwhile(() => {
      change('late', at('succeeded', NOW + 5));
      change('fresh', at('queued', NOW + 5));
      change('gone', at('processing', NOW + 6, 2));
    });
    const list = [line('since', 'active'), line('late', 'completed'), line('fresh', 'waiting'), line('gone', 'completed'), line('stays', 'active')];
    const { told, summary } = await run(compare(), list);
    expect(told).toEqual(['theirs_behind stays']);
    expect(summary).toMatchObject({ compared: 5, same: 0, moved: 4 });
  });

  it('has a list that says when it was made count everything since as movement', async () => {
    const { compare } = world({ a: at('succeeded', 400), b: at('succeeded', 600) });
    const { told } = await run(compare(), [line('a', 'active'), line('b', 'active')], { asOfMs: 500 });
    expect(told).toEqual(['theirs_behind a']);
  });

  it('finds in a complete list what is not named', async () => {
    const rows = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((id) => [id, at('processing')]));
    const { compare, change, meanwhile } = world({ ...rows, new: at('processing', NOW + 1) });
    meanwhile(() => change('g', at('succeeded', NOW + 3)));
    const list = [line('a', 'active'), line('b', 'unknown')];
    const { told, summary } = await run(compare({ chunk: 2 }), list, { complete: true });
    expect(told).toEqual(['unknown_there b', 'unknown_there c', 'unknown_there d', 'unknown_there e', 'unknown_there f']);
    expect(summary.moved).toBe(1);
    const empty = await run(compare(), [], { complete: true });
    expect(empty.summary.differences.unknown_there).toBe(6);
  });

  it('mends nothing for want of a name that a broken line may have held', async () => {
    const { compare, mended } = world({ a: at('processing'), b: at('processing') });
    const { items, summary } = await run(compare(), ['{\n', line('a', 'waiting')], { complete: true, mend: MEND });
    expect(mended.map((d) => d.ref.id)).toEqual(['a']);
    expect(items).toContainEqual(expect.objectContaining({ type: 'difference', mended: { outcome: 'held', why: 'broken_lines' } }));
    expect(summary.mended).toEqual({ done: 1, 'would-have': 0, held: 1, 'not-applicable': 0 });
  });

  it('holds a bounded part of a long list that differs throughout', async () => {
    const { compare, asked, askedInAll, pauses } = world({});
    function* many(): Generator<string> {
      for (let n = 0; n < 100_000; n += 1) yield line(String(n), 'active');
    }
    let [told, most] = [0, 0];
    for await (const item of compare({ waiting: 2_000 }).run(lines(many()), REQUEST, new AbortController().signal)) {
      if (item.type !== 'difference') continue;
      told += 1;
      most = Math.max(most, askedInAll() - 2 * told);
    }
    expect(told).toBe(100_000);
    expect(askedInAll()).toBe(200_000);
    expect(Math.max(...asked)).toBe(500);
    // Looked at once and not told yet: what waits, and a chunk.
    expect(most).toBeLessThanOrEqual(3_500);
    expect(pauses.length).toBeLessThanOrEqual(100_000 / 1_000);
  });

  it('is refused where there is nothing, and ends when it is told to', async () => {
    const { compare } = world({ a: at('processing') });
    await expect(run(compare(), [])).rejects.toMatchObject({ code: 'list_empty' });
    await expect(run(compare(), ['\n'], { complete: true, mend: MEND })).rejects.toMatchObject({ code: 'list_empty' });
    const ended = AbortSignal.abort();
    await expect(run(compare(), [line('a', 'active')], {}, ended)).rejects.toMatchObject({ code: 'interrupted' });
  });
});

describe('the meter of mends', () => {
  it('lets a burst go, and then no more than the budget', async () => {
    const waits: number[] = [];
    let nowMs = 0;
    const meter = new Meter((ms) => Promise.resolve(void waits.push(ms)), () => nowMs);
    const spend = (queue: string, count: number) => meter.spend({ namespace: 'n', queue }, count, { perSecond: 50, burst: 100 });
    await spend('a', 100);
    await spend('a', 50);
    await spend('b', 100);
    nowMs = 60_000;
    await spend('a', 100);
    expect(waits).toEqual([1_000]);
  });
});
