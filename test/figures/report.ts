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

/** Tells one figure after the other, and at the end what was missed. Answers the exit code. */
export async function tellAll<C extends Progress>(figures: readonly Figure<C>[], contextOf: (progress: Progress['progress']) => C): Promise<number> {
  const missed: string[] = [];
  for (const figure of figures) {
    try {
      missed.push(...(await tell(figure, contextOf((text) => console.error(`… ${figure.name}: ${text}`)))));
    } catch (error) {
      console.error(error);
      missed.push(`${figure.name}: broke off`);
    }
  }
  console.log(missed.length === 0 ? '\nEvery count is as wanted.' : `\nMissed:\n${missed.map((m) => `  ${m}`).join('\n')}`);
  return missed.length === 0 ? 0 : 1;
}

/** Returns what was missed. */
async function tell<C extends Progress>(figure: Figure<C>, context: C): Promise<readonly string[]> {
  console.log(`\n== ${figure.title}`);
  const reason = figure.leftOut?.() ?? null;
  if (reason !== null) {
    console.log(`left out: ${reason}`);
    return process.env['CI'] === 'true' ? [`${figure.name}: left out, ${reason}`] : [];
  }
  const begun = performance.now();
  const result = await figure.run(context);
  for (const line of result.method) console.log(`  method: ${line}`);
  for (const line of result.lines) console.log(`  ${line}`);
  for (const count of result.counts) console.log(`  ${countText(count)}`);
  console.log(`  (${((performance.now() - begun) / 1_000).toFixed(0)} s)`);
  return result.counts.filter(isMissed).map((count) => `${figure.name}: ${countText(count)}`);
}

function countText(count: Count): string {
  const { of, found, wanted } = count;
  const [[word, number] = []] = Object.entries(wanted);
  const text = { exactly: 'wanted', atLeast: 'wanted at least', atMost: 'wanted at most' }[word as 'exactly'];
  return `${isMissed(count) ? 'MISSED' : 'ok'}: ${of}: ${String(found)} (${text} ${String(number)})`;
}
