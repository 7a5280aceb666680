import { Gate } from './gate.js';

/** What a figure gets, besides what its report is about. */
export interface Progress {
  /** Says what is being done, and how far it is. */
  readonly progress: (text: string) => void;
}

/** One question a sceptical operator asks, answered by the shipped processes. */
export interface Figure<C extends Progress> {
  /** For `--only`. */
  readonly name: string;
  readonly title: string;
  /** Why it cannot be answered here (no Java, no data), or null. With `CI=true` that is a failure. */
  leftOut?(): string | null;
  run(context: C): Promise<Findings>;
}

export interface Findings {
  /** How it was found out, so that it can be judged, and done again elsewhere. */
  readonly method: readonly string[];
  /** The figures, for people. */
  readonly lines: readonly string[];
  readonly counts: readonly Count[];
}

/** A number that decides over the exit code: a time never does. */
export interface Count {
  readonly of: string;
  readonly found: number;
  readonly wanted: { readonly exactly: number } | { readonly atLeast: number } | { readonly atMost: number };
}

export function isMissed({ found, wanted }: Count): boolean {
  if ('exactly' in wanted) return found !== wanted.exactly;
  // Neither is satisfied by NaN.
  return 'atLeast' in wanted ? !(found >= wanted.atLeast) : !(found <= wanted.atMost);
}

/** How figures are told. */
export interface Telling {
  /** Figures that are found out at the same time, where each has a stage of its own and mostly waits. Default 1. */
  readonly atOnce?: number;
}

interface Told {
  readonly text: readonly string[];
  readonly missed: readonly string[];
}

/** Tells the figures in their order, each as soon as those before it are told, and at the end what was missed. Answers the exit code. */
export async function tellAll<C extends Progress, F extends Figure<C>>(
  figures: readonly F[],
  contextOf: (progress: Progress['progress'], figure: F) => C,
  { atOnce = 1 }: Telling = {},
): Promise<number> {
  const gate = new Gate(atOnce);
  const missed: string[] = [];
  const telling = figures.map((figure) => gate.through(async () => await tell(figure, contextOf((text) => console.error(`… ${figure.name}: ${text}`), figure))));
  for (const told of telling) {
    const { text, missed: of } = await told;
    for (const line of text) console.log(line);
    missed.push(...of);
  }
  console.log(missed.length === 0 ? '\nEvery count is as wanted.' : `\nMissed:\n${missed.map((m) => `  ${m}`).join('\n')}`);
  return missed.length === 0 ? 0 : 1;
}

async function tell<C extends Progress>(figure: Figure<C>, context: C): Promise<Told> {
  const title = `\n== ${figure.title}`;
  try {
    const reason = figure.leftOut?.() ?? null;
    if (reason !== null) return { text: [title, `left out: ${reason}`], missed: process.env['CI'] === 'true' ? [`${figure.name}: left out, ${reason}`] : [] };
    const begun = performance.now();
    const { method, lines, counts } = await figure.run(context);
    const text = [...method.map((line) => `method: ${line}`), ...lines, ...counts.map(countText), `(${((performance.now() - begun) / 1_000).toFixed(0)} s)`];
    return { text: [title, ...text.map((line) => `  ${line}`)], missed: counts.filter(isMissed).map((count) => `${figure.name}: ${countText(count)}`) };
  } catch (error) {
    console.error(error);
    return { text: [title], missed: [`${figure.name}: broke off`] };
  }
}

function countText(count: Count): string {
  const { of, found, wanted } = count;
  const [[word, number] = []] = Object.entries(wanted);
  const text = { exactly: 'wanted', atLeast: 'wanted at least', atMost: 'wanted at most' }[word as 'exactly'];
  return `${isMissed(count) ? 'MISSED' : 'ok'}: ${of}: ${String(found)} (${text} ${String(number)})`;
}
