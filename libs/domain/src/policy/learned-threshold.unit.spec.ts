import { describe, expect, it } from 'vitest';
import { bucketUpperMs, runTimeBucket, type RunTimeHistogram } from '../job/view/contribution.js';
import { LEARNING, learnedThreshold, quantileOfRuns, type LearningRules } from './learned-threshold.js';

const NONE: RunTimeHistogram = { ended: new Map(), longer: new Map() };
const RULES: LearningRules = { ...LEARNING, factor: 2, floorMs: 1_000, ceilingMs: 86_400_000, minSamples: 50 };
const HOUR = 3_600_000;

function counted(runs: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const ms of runs) counts.set(runTimeBucket(ms), (counts.get(runTimeBucket(ms)) ?? 0) + 1);
  return counts;
}

function histogram(ended: readonly number[], longer: readonly number[] = []): RunTimeHistogram {
  return { ended: counted(ended), longer: counted(longer) };
}

function times(count: number, ms: number): number[] {
  return Array.from({ length: count }, () => ms);
}

describe('a threshold learned from run times', () => {
  it('is the p99 by its bucket’s upper edge times the factor, and says what it rests on', () => {
    const learned = learnedThreshold(null, histogram([...times(99, 10_000), 50_000]), RULES);
    const edge = bucketUpperMs(runTimeBucket(10_000));
    expect(learned).toMatchObject({ ms: Math.round(2 * edge), from: 'queue', samples: 100, longer: 0, quantile: 0.99, factor: 2 });
    expect(edge / 10_000).toBeLessThan(1.19);
  });

  it('stays between floor and ceiling', () => {
    expect(learnedThreshold(null, histogram(times(60, 5)), RULES)?.ms).toBe(1_000);
    expect(learnedThreshold(null, histogram(times(60, 90_000_000)), RULES)?.ms).toBe(86_400_000);
  });

  it('is the kind’s where it has runs enough, else the queue’s', () => {
    const queue = histogram(times(200, 10_000));
    expect(learnedThreshold(histogram(times(50, 20_000)), queue, RULES)).toMatchObject({ from: 'kind', samples: 50 });
    expect(learnedThreshold(histogram(times(49, 5_000)), queue, RULES)).toMatchObject({ from: 'queue', samples: 200 });
    expect(learnedThreshold(NONE, queue, RULES)).toMatchObject({ from: 'queue' });
  });

  it('of too few runs can only be longer than what would apply without them', () => {
    expect(learnedThreshold(null, NONE, RULES)).toBeNull();
    expect(learnedThreshold(null, histogram(times(49, 10_000)), RULES)).toBeNull();
    expect(learnedThreshold(null, histogram([5 * HOUR]), RULES)?.ms).toBeGreaterThan(10 * HOUR - 1);
    const kind = learnedThreshold(histogram(times(3, 40_000)), histogram(times(200, 10_000)), RULES);
    expect(kind).toMatchObject({ from: 'kind', samples: 3 });
  });
});

describe('the quantile of runs some of which were given up', () => {
  it('is that of those that ended, where none was', () => {
    const runs = Array.from({ length: 1_000 }, (_, i) => (i + 1) * 100);
    expect(quantileOfRuns(histogram(runs), 0.99)).toBe(bucketUpperMs(runTimeBucket(99_000)));
    expect(quantileOfRuns(NONE, 0.99)).toBeNull();
  });

  it('takes those given up for longer than they were watched', () => {
    const ended = [...times(95, 1_000), ...times(5, 64_000)];
    // Were they left out, or taken for as long as they were watched, it would be one of the short ones.
    expect(quantileOfRuns(histogram(ended, times(100, 8_000)), 0.99)).toBe(bucketUpperMs(runTimeBucket(64_000)));
  });

  it('is the longest time that any was watched, where too many were given up to reach it', () => {
    expect(quantileOfRuns(histogram(times(50, 1_000), times(50, 8_000)), 0.99)).toBe(bucketUpperMs(runTimeBucket(8_000)));
    const next = learnedThreshold(null, histogram(times(50, 1_000), times(50, 8_000)), RULES);
    expect(next?.ms).toBeGreaterThanOrEqual(16_000);
  });
});

describe('a queue whose runs are cut at what it has learned', () => {
  /** Heavy-tailed, as real runs are: quantile u of a Pareto distribution with a tail index of ½, at least 1 s. */
  const runs = Array.from({ length: 400 }, (_, i) => 1_000 / (1 - (i + 0.5) / 400) ** 2);
  const longest = Math.max(...runs);

  /** Rounds of the same runs: each is judged by what the one before taught, from nothing but those that it let end. */
  function rounds(count: number, givenUp: 'longer' | 'left out'): number[] {
    const seen: number[] = [];
    let thresholdMs = longest / 4;
    for (let round = 0; round < count; round += 1) {
      const cut = runs.filter((ms) => ms > thresholdMs).map(() => thresholdMs);
      const taught = histogram(runs.filter((ms) => ms <= thresholdMs), givenUp === 'longer' ? cut : []);
      thresholdMs = learnedThreshold(null, taught, { ...RULES, ceilingMs: longest * 100 })?.ms ?? NaN;
      seen.push(thresholdMs);
    }
    return seen;
  }

  it('does not teach itself ever shorter limits', () => {
    const learned = rounds(30, 'longer');
    const honest = learnedThreshold(null, histogram(runs), { ...RULES, ceilingMs: longest * 100 })?.ms ?? NaN;
    expect(Math.min(...learned)).toBeGreaterThanOrEqual(honest / 1.2);
  });

  it('would, if those were left out: what the test above guards against', () => {
    const learned = rounds(30, 'left out');
    expect(learned.at(-1)).toBeLessThan((learned[0] ?? 0) / 3);
  });

  it('finds its way out of a limit that is far too short', () => {
    let thresholdMs = 2_000;
    for (let round = 0; round < 30; round += 1) {
      const limit = thresholdMs;
      const taught = histogram(runs.filter((ms) => ms <= limit), runs.filter((ms) => ms > limit).map(() => limit));
      thresholdMs = learnedThreshold(null, taught, { ...RULES, ceilingMs: longest * 100 })?.ms ?? NaN;
    }
    expect(runs.filter((ms) => ms > thresholdMs).length / runs.length).toBeLessThan(0.01);
  });
});
