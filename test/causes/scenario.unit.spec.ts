import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { validatorOf } from './log/contract.fixture.js';
import { planOf } from './report/plan.js';
import { scenarioOf, scenarioOfTwo, type Scenario } from './scenario.js';
import { TRUTHS } from './truths/truth.js';

const digest = ({ log }: Scenario): string => createHash('sha256').update(JSON.stringify(log)).digest('hex');

describe('a scenario', () => {
  it('is the same for the same seed, to the last event, and another one for any other', () => {
    const one = digest(scenarioOf('training', 'race', 3));
    expect(digest(scenarioOf('training', 'race', 3))).toBe(one);
    expect(digest(scenarioOf('training', 'race', 4))).not.toBe(one);
    expect(digest(scenarioOf('held-out', 'race', 3))).not.toBe(one);
  });

  it.each(TRUTHS)('of %s is made of events of the contract alone, in the order of the log', (truth) => {
    const { log, beginMs, wrongMs, askedMs } = scenarioOf('training', truth, 1);
    const fault = validatorOf();
    expect(log.flatMap(({ cloudEvent }) => fault(cloudEvent) ?? []).slice(0, 3)).toEqual([]);
    expect(log.every(({ laneMs }, i) => laneMs >= (log[i - 1]?.laneMs ?? beginMs))).toBe(true);
    expect(log.some(({ laneMs }) => laneMs > wrongMs)).toBe(true);
    expect(askedMs - wrongMs).toBeGreaterThanOrEqual(60_000);
  });

  it('goes well until something is wrong', () => {
    for (const truth of TRUTHS) {
      const { log, wrongMs } = scenarioOf('training', truth, 2);
      const ends = log.filter(({ cloudEvent: { type }, laneMs }) => laneMs < wrongMs && /\.(?:succeeded|failed)\./u.test(type));
      const failed = ends.filter(({ cloudEvent: { type } }) => type.includes('failed'));
      expect(failed.length).toBeLessThan(ends.length * 0.2);
    }
  });

  it('gives nobody away: neither the cause nor what is to blame is a word of the log', () => {
    const { log } = scenarioOf('training', 'poison_job', 1);
    expect(JSON.stringify(log.map(({ cloudEvent }) => cloudEvent)).replaceAll('poison_pill', '')).not.toMatch(/poison|truth|shape|innocent/u);
  });
});

describe('a scenario of two causes', () => {
  const two = scenarioOfTwo('training', ['overload', 'downstream_outage'], 0);

  it('has both, and is of the one that most failures come of', () => {
    expect([two.truth, two.also]).toEqual(['downstream_outage', 'overload']);
    expect(two.blamed).toHaveLength(1);
    expect(digest(scenarioOfTwo('training', ['overload', 'downstream_outage'], 0))).toBe(digest(two));
  });

  it('does not go on by itself where far more is sent, and a scenario of the outage alone does', () => {
    expect([two.selfSustained, scenarioOf('training', 'downstream_outage', 1).selfSustained, scenarioOf('training', 'overload', 1).selfSustained]).toEqual([false, true, false]);
  });
});

describe('the plan of a report', () => {
  it('has five scenarios without a bad revision for each with one, all others equally often', () => {
    const plan = planOf({ scenarios: 3_600, truth: null });
    const [single, two] = [plan.filter(({ also }) => also === undefined), plan.filter(({ also }) => also !== undefined)];
    const of = (name: string): number => single.filter(({ truth }) => truth === name).length;
    expect([single.length, two.length, new Set(two.map(({ truth, also }) => `${truth} ${also ?? ''}`)).size]).toEqual([3_600, 112, 28]);
    expect(of('bad_revision')).toBe(600);
    expect(TRUTHS.filter((truth) => truth !== 'bad_revision').map(of)).toEqual(Array.from({ length: 8 }, () => 375));
    expect(new Set(single.map(({ truth, index }) => `${truth}/${String(index)}`)).size).toBe(3_600);
  });
});
