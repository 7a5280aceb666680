import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { away, bug, hostAway, locked, windowFor, type QueueStory } from './common.fixture.js';
import { causeOfSubject, causeSubject } from './common-cause.js';
import { commonCauses, type CauseCase } from './common-causes.js';
import { Slices } from './slices.js';

/** By the subject of an incident, the queues that belong to it. */
function placed(stories: readonly QueueStory[], cases: readonly CauseCase[] = [], beside: readonly QueueStory[] = []): Readonly<Record<string, readonly string[]>> {
  const found = commonCauses('default', windowFor(...stories, ...beside), stories.map(({ queue }) => `default/${queue}`), cases);
  const groups: Record<string, string[]> = {};
  for (const [name, subject] of found) (groups[subject] ??= []).push(name.slice('default/'.length));
  for (const names of Object.values(groups)) names.sort();
  return groups;
}

const v1 = (share: number) => ({ v1: share });
const OUTAGE = 'default/downstream_outage/api.example.com';
const outage: readonly QueueStory[] = [
  { queue: 'named', bad: v1(7), errors: [away.named, away.named, away.reset] },
  { queue: 'address', bad: v1(7), errors: [away.address] },
  { queue: 'status', bad: v1(5), errors: [away.status, away.status, bug] },
  { queue: 'reset', bad: v1(8), errors: [away.reset] },
];

describe('queues that go wrong at once', () => {
  it('for one outage are together, whatever each of them calls it', () => {
    expect(placed(outage)).toEqual({ [OUTAGE]: ['address', 'named', 'reset', 'status'] });
  });

  it('for locks are together, though each waits for one of its own', () => {
    const waiting = ['mails', 'bills', 'labels'].map((queue) => ({ queue, bad: v1(6), errors: [locked(queue)], lockWaits: `${queue}:7` }));
    expect(placed(waiting)).toEqual({ 'default/lock_contention': ['bills', 'labels', 'mails'] });
  });

  it('for two services that are away are apart, and who names none goes with most', () => {
    const two: readonly QueueStory[] = [
      ...['a', 'b', 'c'].map((queue) => ({ queue, bad: v1(7), errors: [hostAway('api.example.com')] })),
      ...['x', 'y'].map((queue) => ({ queue, bad: v1(7), errors: [hostAway('smtp.example.org:587')] })),
      { queue: 'z', bad: v1(7), errors: [away.status] },
    ];
    expect(placed(two)).toEqual({ [OUTAGE]: ['a', 'b', 'c', 'z'], 'default/downstream_outage/smtp.example.org': ['x', 'y'] });
  });

  it('for a network that is away are together, though each calls another service', () => {
    const all = ['a', 'b', 'c', 'd', 'e'].map((queue) => ({ queue, bad: v1(7), errors: [hostAway(`${queue}.example.com`)] }));
    expect(placed(all)).toEqual({ 'default/downstream_outage': ['a', 'b', 'c', 'd', 'e'] });
  });

  it('for two bad releases are two', () => {
    const stories: readonly QueueStory[] = [
      { queue: 'mails', bad: { v1: 0, v2: 9 }, newest: 'v2' },
      { queue: 'bills', bad: { w1: 0, w2: 9 }, newest: 'w2' },
    ];
    expect(placed(stories)).toEqual({ 'default/bad_revision/v2': ['mails'], 'default/bad_revision/w2': ['bills'] });
  });

  it('for one bad release are one, also a queue in which nothing else runs beside it', () => {
    const stories: readonly QueueStory[] = [
      ...['mails', 'bills'].map((queue) => ({ queue, bad: { v1: 0, v2: 9 }, newest: 'v2' })),
      { queue: 'alone', bad: { v2: 5 }, newest: 'v2', perSlot: 1 },
    ];
    expect(placed(stories)).toEqual({ 'default/bad_revision/v2': ['alone', 'bills', 'mails'] });
  });

  it('beside an outage keep a bad release and a poison job apart from it', () => {
    const others: readonly QueueStory[] = [
      { queue: 'released', bad: { v1: 0, v2: 9 }, newest: 'v2' },
      { queue: 'poisoned', bad: v1(2), jobs: 1, errors: [bug] },
    ];
    expect(placed([...outage, ...others])).toEqual({
      [OUTAGE]: ['address', 'named', 'reset', 'status'],
      'default/bad_revision/v2': ['released'],
      'default/poison_job/default/poisoned/j0': ['poisoned'],
    });
  });

  it('and tell nothing of themselves go with the others; what tells of something else does not', () => {
    const nothing: QueueStory = { queue: 'thin', bad: v1(0), perSlot: 1 };
    const other: QueueStory = { queue: 'other', bad: v1(5), errors: [bug, { class: 'Error', message: 'not now' }, { class: 'ValidationError', message: 'no' }] };
    expect(placed([...outage, nothing, other])).toEqual({ [OUTAGE]: ['address', 'named', 'reset', 'status', 'thin'], 'default/unknown': ['other'] });
    expect(placed([nothing])).toEqual({ 'default/unknown': ['thin'] });
  });
});

describe('an incident that is open', () => {
  const open = (subject: string, ...queues: readonly string[]): CauseCase => ({ subject, open: true, queues: queues.map((queue) => `default/${queue}`) });

  it('takes what fails for its cause, in whatever words, and nothing that fails for another', () => {
    const later = [...outage.slice(1), { queue: 'locked', bad: v1(6), errors: [locked('mails')] }];
    expect(placed(later, [open(OUTAGE)])).toEqual({ [OUTAGE]: ['address', 'reset', 'status'], 'default/lock_contention': ['locked'] });
    expect(placed([{ queue: 'x', bad: v1(7), errors: [hostAway('smtp.example.org')] }], [open(OUTAGE)])).toEqual({ 'default/downstream_outage/smtp.example.org': ['x'] });
  });

  it('was opened when nobody knew why, and takes what shows why by now', () => {
    const known = [open('default/unknown', 'named', 'address')];
    expect(placed(outage.slice(2), known, outage.slice(0, 2))).toEqual({ 'default/unknown': ['reset', 'status'] });
    const otherwise = ['one', 'two'].map((queue) => ({ queue, bad: v1(5), errors: [bug] }));
    expect(placed(outage.slice(2), [open('default/unknown', 'one', 'two')], otherwise)).toEqual({ 'default/downstream_outage': ['reset', 'status'] });
  });

  it('of another namespace, or of a target, takes none of it', () => {
    expect(placed(outage, [open('acme/downstream_outage'), open('simulated:workers'), open('drill/f')])).toEqual({ [OUTAGE]: ['address', 'named', 'reset', 'status'] });
  });

  it('takes it before one that is over', () => {
    const over = { ...open('default/downstream_outage'), open: false };
    expect(Object.keys(placed(outage, [over, open(OUTAGE)]))).toEqual([OUTAGE]);
    expect(Object.keys(placed(outage, [over]))).toEqual(['default/downstream_outage']);
  });
});

describe('a release of the same name', () => {
  const mails: QueueStory = { queue: 'mails', bad: { v1: 0, v2: 9 }, newest: 'v2' };
  const BAD = 'default/bad_revision/v2';
  const open: CauseCase = { subject: BAD, open: true, queues: ['default/mails'] };
  /** Of another service: it has run nothing but its own v2 for an hour, and all went well. */
  const bills = (story: Partial<QueueStory>): QueueStory => ({ queue: 'bills', bad: { v2: 7 }, ...story });

  it('is not to blame where it is at work since long and another service is away', () => {
    expect(placed([mails, bills({ errors: [away.named] })])).toEqual({ [BAD]: ['mails'], [OUTAGE]: ['bills'] });
    expect(placed([bills({ errors: [away.named] })], [open], [mails])).toEqual({ [OUTAGE]: ['bills'] });
  });

  it('is not to blame where it is at work since long and only workers die', () => {
    for (const perSlot of [10, 1]) {
      const lost = bills({ errors: [], perSlot });
      expect(placed([mails, lost])[BAD]).toEqual(['mails']);
      expect(placed([lost], [open], [mails])[BAD]).toBeUndefined();
    }
  });

  it('is not to blame where it is at work since long and no more than a general class is told', () => {
    expect(placed([mails, bills({ errors: [bug] })])[BAD]).toEqual(['mails']);
    expect(placed([bills({ errors: [bug] })], [open], [mails])[BAD]).toBeUndefined();
    expect(placed([bills({ errors: [bug], perSlot: 1 })], [open], [mails])[BAD]).toBeUndefined();
  });

  it('is not to blame where it is new, too, and what fails clearly says something else', () => {
    const also = bills({ errors: [{ class: 'Error', message: 'getaddrinfo ENOTFOUND api.example.com' }], newest: 'v2' });
    const told = { ...mails, errors: [{ class: 'Error', message: 'not now' }] };
    expect(placed([also], [open], [told])).toEqual({ [OUTAGE]: ['bills'] });
  });

  it('is to blame where it failed all the time', () => {
    expect(placed([bills({ errors: [bug], perSlot: 1, failedBefore: 0.7 })], [open], [mails])).toEqual({ [BAD]: ['bills'] });
  });
});

describe('many queues', () => {
  /** How many causes are found, and at how many queues each look was. */
  const looked = (all: readonly QueueStory[]): { readonly causes: number; readonly looks: readonly number[] } => {
    const spy = vi.spyOn(Slices.prototype, 'of');
    const causes = Object.keys(placed(all)).length;
    const looks = spy.mock.calls.map(([queues]) => queues.length);
    spy.mockRestore();
    return { causes, looks };
  };

  it('that each go wrong for a cause of their own are looked at a few times each', () => {
    const all = Array.from({ length: 20 }, (_, i): QueueStory => ({ queue: `q${String(i)}`, bad: v1(2), perSlot: 5, jobs: 1 }));
    const { causes, looks } = looked(all);
    expect(causes).toBe(20);
    expect(looks.reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(5 * 20);
  });

  it('that each have a bad release of their own are not looked at together while they are many', () => {
    const all = Array.from({ length: 24 }, (_, i): QueueStory => ({ queue: `q${String(i)}`, bad: { v1: 0, [`w${String(i)}`]: 9 }, newest: `w${String(i)}` }));
    const { causes, looks } = looked(all);
    expect(causes).toBe(24);
    expect(Math.max(...looks)).toBeLessThanOrEqual(20);
  });
});

const ERRORS = [away.named, away.address, away.status, away.reset, bug, locked('mails'), hostAway('smtp.example.org')];
const story = fc.record({ share: fc.integer({ min: 0, max: 10 }), perSlot: fc.constantFrom(0.5, 2, 10), errors: fc.uniqueArray(fc.constantFrom(...ERRORS), { minLength: 1, maxLength: 3 }), released: fc.boolean(), jobs: fc.constantFrom(undefined, undefined, 1) });
const stories = fc.array(story, { minLength: 1, maxLength: 7 }).map((all) =>
  all.map(({ share, perSlot, errors, released, jobs }, i): QueueStory => ({ queue: `q${String(i)}`, perSlot, errors, ...(jobs !== undefined && { jobs }), ...(released ? { bad: { v1: 0, v2: share }, newest: 'v2' } : { bad: v1(share) }) })),
);

describe('where queues belong', () => {
  it('is the same in whatever order they are told, and is told of each once', () => {
    fc.assert(
      fc.property(stories.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray([...all], { minLength: all.length }))), ([all, shuffled]) => {
        const there = placed(all);
        expect(placed(shuffled)).toEqual(there);
        expect(Object.values(there).flat().sort()).toEqual(all.map(({ queue }) => queue).sort());
        for (const subject of Object.keys(there)) expect(causeOfSubject('default', subject)).not.toBeNull();
      }),
      { numRuns: 60 },
    );
  });

  it('is one incident for one outage, in however many parts it is told', () => {
    const part = fc.array(fc.nat(3), { minLength: 24, maxLength: 24 });
    const words = fc.array(fc.constantFrom(away.named, away.address, away.status, away.reset), { minLength: 24, maxLength: 24 });
    fc.assert(
      fc.property(part, words, (parts, errors) => {
        const all = errors.map((error, i): QueueStory => ({ queue: `q${String(i)}`, bad: v1(4 + (i % 6)), perSlot: 5, errors: [error, error, away.reset] }));
        let open: readonly CauseCase[] = [];
        for (const n of [0, 1, 2, 3]) {
          const some = all.filter((_, i) => parts[i] === n);
          const beside = all.filter((_, i) => (parts[i] ?? 0) < n);
          const [subject, ...others] = Object.keys(placed(some, open, beside));
          expect(others).toEqual([]);
          if (subject === undefined) continue;
          if (open.length > 0) expect(subject).toBe(open[0]?.subject);
          open = [{ subject, open: true, queues: [...beside, ...some].map(({ queue }) => `default/${queue}`) }];
        }
      }),
      { numRuns: 25 },
    );
  });
});

describe('the subject of an incident', () => {
  it('tells its cause and what is to blame, whatever slashes are in their names', () => {
    for (const [namespace, cause, blame] of [['default', 'overload', null], ['a/b', 'poison_job', 'a/b/mails/j/7'], ['a', 'bad_revision', 'v/2']] as const) {
      expect(causeOfSubject(namespace, causeSubject(namespace, cause, blame))).toEqual({ cause, blame });
    }
    expect(causeOfSubject('default', 'default/by-hand/mails')).toBeNull();
  });
});
