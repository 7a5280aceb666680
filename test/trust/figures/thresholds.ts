import { LEARNING } from '#libs/domain';
import type { TrustFigure, TrustResult } from '../figure.js';
import { fifthOf, outcomeOf, stopsOf, type Outcome } from './thresholds/outcome.js';
import { clusterRuns, historiesAreThere, podRuns, type Run } from './thresholds/runs.js';
import { declared, fixed, fixedPerQueue, learned, never, type Way } from './thresholds/ways.js';

const SEED = 2_013;
const HOUR = 3_600_000;
const { factor, quantile, floorMs, ceilingMs, minSamples } = LEARNING;

const METHOD = [
  'Real runs without heartbeats, in order of submission: MetaCentrum 2013, two rows with a negative run time left out; and the pods of Alibaba 2023 that ended.',
  `Learned: the shipped code (p${String(quantile * 100)} × ${String(factor)}, floor ${String(floorMs / 60_000)} min, ceiling ${String(ceilingMs / 86_400_000)} d, ${String(minSamples)} runs at least), online: at any moment from the runs that had ended by then. Until there are any: 1 h.`,
  'Fixed: p99 × factor of the runs of the first fifth, for the whole or for each queue, kept from then on; applied to the first fifth too, which flatters it.',
  'Declared: the limit in the name of the queue × 1.05; two queues of 187 runs have none.',
  'Stuck and healthy: the run would have been called stuck before it ended, at level observe, so each end is known.',
  `Noticed: each run is stopped at a random moment (seed ${String(SEED)}, the same for all); from then to when it is called stuck. What was called stuck before counts as noticed at once.`,
];

interface Told {
  readonly name: string;
  readonly outcome: Outcome;
}

export const thresholds: TrustFigure = {
  name: 'thresholds',
  title: 'Thresholds without heartbeats: healthy runs called stuck, and the time until a stopped one is noticed',
  run: ({ progress }) => Promise.resolve(historiesAreThere() ? found(progress) : leftOut()),
};

/** As the tests over the same histories: they lie beside the checkout, and a clone alone is no failure. */
function leftOut(): TrustResult {
  return { method: METHOD, lines: ['left out: the histories are not there (../shared/data)'], counts: [] };
}

function found(progress: (text: string) => void): TrustResult {
  const [cluster, pods] = [clusterRuns(), podRuns()];
  progress(`${String(cluster.runs.length)} runs of the cluster`);
  const told = clusterTable(cluster.runs);
  progress('factors and quantiles');
  const swept = sweep(cluster.runs);
  progress(`${String(pods.runs.length)} pods`);
  const ofPods = podTable(pods.runs);
  const online = told.find(({ name }) => name === LEARNED)?.outcome;
  return {
    method: METHOD,
    lines: [...table('MetaCentrum', told), '', ...table('MetaCentrum, what else could be learned', swept), '', ...table('Alibaba’s pods', ofPods)],
    counts: [
      { of: 'rows of MetaCentrum', found: cluster.runs.length + cluster.dirty, wanted: { exactly: 17_900 } },
      { of: 'of them with a negative run time', found: cluster.dirty, wanted: { exactly: 2 } },
      { of: 'runs judged, by whichever way judged fewest', found: Math.min(...[...told, ...swept].map((t) => t.outcome.judged)), wanted: { exactly: 17_898 } },
      { of: 'pods that ended', found: pods.runs.length + pods.dirty, wanted: { exactly: 2_062 } },
      { of: 'healthy runs called stuck after the first fifth, learned', found: online?.wrongLater ?? NaN, wanted: { atMost: 14 } },
    ],
  };
}

const LEARNED = 'learned (default)';

function clusterTable(runs: readonly Run[]): readonly Told[] {
  const fitted = runs.slice(0, fifthOf(runs));
  const online = learned(runs);
  return judged(runs, [
    [LEARNED, online],
    ['learned, by user as kind', learned(runs, LEARNING, true)],
    ...fixedWays(fitted),
    ['declared × 1.05', declared(never)],
    ['declared × 1.05, else learned', declared(online)],
  ]);
}

function podTable(runs: readonly Run[]): readonly Told[] {
  return judged(runs, [[LEARNED, learned(runs)], ...fixedWays(runs.slice(0, fifthOf(runs)))]);
}

function fixedWays(fitted: readonly Run[]): [string, Way][] {
  return [1, factor].flatMap((times): [string, Way][] => {
    const one = fixed(fitted, times);
    return [
      [`fixed, p99 × ${String(times)} (${hours(one.ms)})`, one.way],
      [`fixed per queue, p99 × ${String(times)}`, fixedPerQueue(fitted, times)],
    ];
  });
}

/** What the defaults were chosen from: each changed alone. */
function sweep(runs: readonly Run[]): readonly Told[] {
  return judged(runs, [
    ...[1.25, 1.5, 3, 5].map((f): [string, Way] => [`factor ${String(f)}`, learned(runs, { ...LEARNING, factor: f })]),
    ...[0.9, 0.95, 0.999].map((q): [string, Way] => [`p${String(q * 100)}`, learned(runs, { ...LEARNING, quantile: q })]),
    ...[7, 14, 60].map((d): [string, Way] => [`ceiling ${String(d)} d`, learned(runs, { ...LEARNING, ceilingMs: d * 24 * HOUR })]),
    ...[1, 200].map((n): [string, Way] => [`at least ${String(n)} runs`, learned(runs, { ...LEARNING, minSamples: n })]),
    ['floor 1 h', learned(runs, { ...LEARNING, floorMs: HOUR })],
  ]);
}

function judged(runs: readonly Run[], ways: readonly (readonly [string, Way])[]): readonly Told[] {
  const stops = stopsOf(runs, SEED);
  return ways.map(([name, way]) => ({ name, outcome: outcomeOf(runs, stops, way) }));
}

function table(title: string, told: readonly Told[]): string[] {
  const head = `${title.padEnd(42)}  called stuck  after the 1st fifth  noticed: median       p95   never`;
  return [head, ...told.map(line)];
}

function line({ name, outcome }: Told): string {
  const { wrong, judged: all, wrongLater, later, medianMs, p95Ms, neverNoticed } = outcome;
  const cells = [share(wrong, all).padStart(12), share(wrongLater, later).padStart(19), hours(medianMs).padStart(16)];
  return `${name.padEnd(42)}  ${cells.join('  ')}  ${hours(p95Ms).padStart(8)}  ${String(neverNoticed).padStart(6)}`;
}

function share(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(2)} %`;
}

function hours(ms: number): string {
  return ms === Infinity ? 'never' : `${(ms / HOUR).toFixed(1)} h`;
}
