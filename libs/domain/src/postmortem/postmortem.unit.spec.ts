import { describe, expect, it } from 'vitest';
import { beganMs } from './began.js';
import { CHECKLISTS, POSTMORTEM_ITEMS } from './checklists.js';
import type { PostmortemState } from './facts.js';
import { inert } from './markdown-text.js';
import { jobPath, postmortemMarkdown } from './markdown.js';
import { BAD_RELEASE, HOSTILE, NOON, NOTHING_ADDED, steps } from './postmortem.fixture.js';
import { postmortemOf } from './postmortem.js';

const answer = (item: string, text = 'Yes.') => ({ item, answer: text, by: 'ada', atMs: NOON + 3_600_000 });
const opened = [0, 'opened', 'something'] as const;

describe('a postmortem', () => {
  it('answers from data what they settle, and leaves the rest to a person, with the figures that help', () => {
    const { checklists, missing, times, cause } = postmortemOf(BAD_RELEASE, NOTHING_ADDED);
    const by = Object.fromEntries(checklists.flatMap(({ items }) => items.map(({ id, answeredBy }) => [id, answeredBy])));
    expect(by).toEqual({
      ...{ 'poison-message': 'data', 'circuit-breakers': 'open', timeouts: 'open', 'heap-and-stacks': 'open', 'failure-payload-test': 'open' },
      ...{ 'latency-depth-retries': 'data', 'traces-and-gaps': 'data', 'dead-letter-pattern': 'data', 'caches-and-races': 'data' },
      ...{ 'restart-and-fallback': 'data', 'response-plan': 'open', monitoring: 'open' },
    });
    expect(missing).toEqual(['circuit-breakers', 'timeouts', 'heap-and-stacks', 'failure-payload-test', 'response-plan', 'monitoring']);
    const item = (id: string) => checklists.flatMap(({ items }) => items).find((one) => one.id === id)?.data;
    expect(item('latency-depth-retries')?.figures).toEqual({
      ...{ failedBefore: '0.7 %', failedDuring: '63.4 %', startedPerMinuteBefore: 120.6, startedPerMinuteDuring: 299 },
      ...{ retriesPerMinuteBefore: 0.6, retriesPerMinuteDuring: 175.3, waitingNow: 14 },
      ...{ p50BeforeMs: 215, p99BeforeMs: 1_024, p50DuringMs: 431, p99DuringMs: 8_192, deepestBefore: 40, deepestDuring: 6_120 },
    });
    expect(item('caches-and-races')).toMatchObject({
      says: 'Each command that ran a job again went out behind its invalidation. No two workers wrote to one job.',
      figures: { ranAgain: 850, afterInvalidation: 850, withoutCacheKeys: 0, parkedInvalidations: 0, parkedCommands: 0, retriedByOthers: 0, lateWritesRefused: 0, contradicting: 0 },
    });
    expect(item('traces-and-gaps')).toMatchObject({ says: 'Beside it: 1 × blackout.', figures: { startedWithoutEnd: 30, endedBySilence: 40, tracesWithoutEnd: 2, visibilityGaps: 9, openGaps: 1, longestGapSeconds: 61 } });
    expect(item('heap-and-stacks')).toEqual({ says: 'a report and a heap of mailer-7 are kept', figures: { outcome: 'captured' }, settles: false });
    expect(cause?.says[0]?.figures).toEqual({ failed: 41, revision: 'v42' });
    expect(times).toMatchObject({ detectMs: 90_000, isolateMs: 45_000, restoreMs: 200_000 });
  });

  const itemOf = (id: string, changes: Partial<typeof BAD_RELEASE>) =>
    postmortemOf({ ...BAD_RELEASE, ...changes }, NOTHING_ADDED).checklists.flatMap(({ items }) => items).find((one) => one.id === id);

  it.each<[string, Partial<typeof BAD_RELEASE>, string | null]>([
    ['run times were not kept', { runTimes: { before: null, during: null } }, 'Only in part; not kept: run times before, run times during it.'],
    ['nothing succeeded during it', { runTimes: { ...BAD_RELEASE.runTimes, during: null } }, 'Only in part; not kept: run times during it.'],
    ['nobody saw the depth', { depth: { before: null, during: null, signalled: null } }, 'Only in part; not kept: depth.'],
    ['attempts are forgotten', { counts: null }, 'Only in part; not kept: attempts.'],
    ['nothing is known', { counts: null, runTimes: { before: null, during: null }, depth: { before: 3, during: null, signalled: null } }, null],
  ])('leaves latency, depth and retries to a person where %s', (_why, changes, says) => {
    expect(itemOf('latency-depth-retries', changes)).toMatchObject({ answeredBy: 'open', data: says === null ? null : { says, settles: false } });
  });

  it('takes the depth that a signal named where no sample was taken', () => {
    expect(itemOf('latency-depth-retries', { depth: { before: null, during: null, signalled: 6_120 } })).toMatchObject({ answeredBy: 'data', data: { figures: { deepestDuring: 6_120 } } });
  });

  const again = { commands: 850, invalidated: 850, withoutKeys: 0, parkedInvalidations: 0, parkedCommands: 0 };
  it.each<[string, Partial<typeof BAD_RELEASE>, string]>([
    ['some jobs name no keys', { again: { ...again, invalidated: 848, withoutKeys: 2 } }, '2 jobs of 850 that ran again name no cache keys: is there a cache?'],
    ['a command was before its invalidation', { again: { ...again, invalidated: 849 } }, '1 command went out before the invalidation, or that is not known any more.'],
    ['something is parked', { again: { ...again, parkedInvalidations: 1, parkedCommands: 2 } }, '3 messages are parked.'],
    ['others ran jobs again', { again: { ...again, commands: 849, invalidated: 849 } }, "1 retry was begun by no command: by a claim, or by the queue's own library."],
    ['too much went out since', { again: null }, 'More went out since than is counted here.'],
  ])('leaves caches and races to a person where %s', (_why, changes, says) => {
    expect(itemOf('caches-and-races', changes)).toMatchObject({ answeredBy: 'open', data: { says: `${says} No two workers wrote to one job.`, settles: false } });
  });

  it('says of caches and races that nothing was run again, and that late writes were refused', () => {
    const { counts } = BAD_RELEASE;
    const raced = { ...counts!, during: { ...counts!.during, counts: { ...counts!.during.counts, started: 600, writeRefused: 3, contradicted: 1 } } };
    const item = itemOf('caches-and-races', { counts: raced, again: { ...again, commands: 0, invalidated: 0 } });
    expect(item).toMatchObject({ answeredBy: 'data', data: { says: 'Nothing was run again. Late writes were refused or contradicted what was there.', figures: { lateWritesRefused: 3, contradicting: 1 } } });
  });

  it('can be signed once each item is answered and the incident is over', () => {
    const all: PostmortemState = { ...NOTHING_ADDED, answers: POSTMORTEM_ITEMS.map((id) => answer(id)) };
    expect(postmortemOf(BAD_RELEASE, all).missing).toEqual([]);
    const { incident } = BAD_RELEASE;
    const going = { ...BAD_RELEASE, incident: { ...incident, steps: incident.steps.slice(0, -1) } };
    expect(postmortemOf(going, all).missing).toEqual(['resolved']);
    expect(postmortemOf(going, { ...NOTHING_ADDED, signature: { by: 'ada', atMs: NOON, note: null } }).missing).toEqual([]);
  });

  it('takes a person’s word beside that of the data', () => {
    const { checklists } = postmortemOf(BAD_RELEASE, { ...NOTHING_ADDED, answers: [answer('poison-message', 'Yes, after all.')] });
    const [item] = checklists[0]?.items ?? [];
    expect(item).toMatchObject({ answeredBy: 'person', person: { answer: 'Yes, after all.', by: 'ada' }, data: { settles: true } });
  });

  it('of an incident of which little is known says so, and asks', () => {
    const bare = {
      incident: { id: '3', kind: 'blackout', subject: 'emails', queue: null, steps: steps(opened) },
      ...{ runTimes: { before: null, during: null }, depth: { before: null, during: null, signalled: null }, again: null },
      ...{ beganMs: null, counts: null, signals: [], beside: {}, traces: { seen: 0, withoutEnd: 0, gaps: { count: 0, open: 0, longestMs: 0 } } },
      jobs: { byStatus: {}, examples: [], waiting: 0 },
      deadLetters: { letters: 0, patterns: [] },
    };
    const { missing, cause, times } = postmortemOf(bare, NOTHING_ADDED);
    expect(cause).toBeNull();
    expect(times).toMatchObject({ detectMs: null, isolateMs: null, restoreMs: null });
    expect(missing).toEqual(['resolved', ...POSTMORTEM_ITEMS.filter((id) => id !== 'dead-letter-pattern')]);
    expect(postmortemMarkdown(postmortemOf(bare, NOTHING_ADDED))).toContain('No cause was assessed.');
  });

  it('asks every question of both checklists under a name of its own', () => {
    expect(CHECKLISTS.map(({ items }) => items.length)).toEqual([5, 7]);
    expect(new Set(POSTMORTEM_ITEMS).size).toBe(12);
    expect(POSTMORTEM_ITEMS.every((id) => /^[a-z-]+$/u.test(id))).toBe(true);
  });
});

describe('the beginning', () => {
  const ended = (...shares: readonly (number | null)[]) => shares.map((share, i) => ({ fromMs: i * 10, bad: (share ?? 0) * 100, ended: share === null ? 0 : 100 }));

  it.each<[string, readonly (number | null)[], number | null]>([
    ['where it was well until then', [0, 0.02, 0, 0.4, 0.6, 0.5], 30],
    ['past lulls, and past what says nothing', [0, 0, 0, 0.4, 0, 0, 0.3, null, null, null, 0.5], 30],
    ['not past a longer quiet', [0.5, 0, 0, 0, 0.3, 0.5], 40],
    ['nowhere', [0, 0.05, 0], null],
    ['nowhere without anything', [], null],
  ])('is found %s', (_, shares, began) => expect(beganMs(ended(...shares), 1_000)).toBe(began));

  it('is not looked for after it was noticed', () => expect(beganMs(ended(0, 0, 0.5), 15)).toBeNull());
});

describe('its page', () => {
  const state: PostmortemState = {
    answers: POSTMORTEM_ITEMS.filter((id) => !['poison-message', 'monitoring'].includes(id)).map((id) => answer(id, id === 'timeouts' ? 'Queries: 5 s.\n\nParsing: none <script>alert(1)</script>' : 'Yes.')),
    signature: null,
    followUps: [
      { id: '1', incidentId: '17', kind: 'task', text: 'Give the parser a timeout', owner: 'ben', addedBy: 'ada', addedMs: NOON + 7_200_000, done: null },
      { id: '2', incidentId: '17', kind: 'lesson', text: 'A canary first', owner: null, addedBy: 'ada', addedMs: NOON + 7_200_000, done: { by: 'ben', atMs: NOON + 90_000_000, note: 'in the plan' } },
    ],
    moreFollowUps: 0,
  };
  const page = postmortemMarkdown(postmortemOf(BAD_RELEASE, state));

  it('is this one', async () => {
    await expect(page).toMatchFileSnapshot('postmortem.golden.md');
  });

  it('says how many follow-ups there are beyond those that it shows, and where', () => {
    expect(page).not.toContain('/v1/follow-ups');
    expect(postmortemMarkdown(postmortemOf(BAD_RELEASE, { ...state, moreFollowUps: 7 }))).toContain('\n\n7 more: `/v1/follow-ups?incident=17`\n');
  });

  it('has nothing in it that came from outside and does something', () => {
    expect(page).not.toMatch(/<[a-z!\/]|(?<!\\)\[click|(?<!\\)\]\(|https?:\/\/|www\.|@oncall|\u202E/iu);
    // A heading, a table's line or a code's end of its own would change the page.
    expect(page.match(/^# /gmu)).toHaveLength(1);
    expect(page.split('\n').filter((line) => line.startsWith('| ') && line.includes('dead-lettered')).map((line) => line.split(/(?<!\\)\|/u).length)).toEqual([6, 6]);
  });

  it.each([
    ['<b>&amp;</b>', '&lt;b&gt;&amp;amp;&lt;/b&gt;'],
    ['a\r\n\r\n# b', 'a \\# b'],
    ['[x](http://y) ![z](w)', '\\[x\\](http&#58;//y) \\!\\[z\\](w)'],
    ['a|b `c` *d* _e_ ~~f~~ \\', 'a\\|b \\`c\\` \\*d\\* \\_e\\_ \\~\\~f\\~\\~ \\\\'],
    ['WWW.evil.example, a@b.example', 'WWW&#46;evil.example, a&#64;b.example'],
    ['\u0000\u200B\u202Ex\u2066', 'x'],
  ])('shows %j as it is', (text, shown) => expect(inert(text)).toBe(shown));

  it('links jobs by a path that no id can break out of', () => {
    expect(jobPath({ namespace: 'a b', queue: 'q', id: '`](x)<b>|' })).toBe('/v1/jobs/one?queue=q&id=%60%5D%28x%29%3Cb%3E%7C&namespace=a%20b');
  });

  it('keeps what an error said, as a text', () => {
    expect(page).toContain(inert(HOSTILE));
  });
});
