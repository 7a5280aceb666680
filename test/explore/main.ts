import { INVARIANTS, INVARIANT_KEYS, notExercised } from './invariants.js';
import { optionsOf } from './options.js';
import { Progress, sayExplored, sayTrace } from './report.js';
import { scenariosOf } from './scenario.js';
import { Search } from './search.js';
import type { Variant } from './variants.js';

/**
 * `npm run explore`: every state of the real protocol code around one job, within bounds. Exits non-zero when an
 * invariant is violated, when one was never put to the test, or when a broken variant is not found out.
 */
/** Of one scenario: what fits into the memory of a machine. One that is cut there holds as far as it was explored. */
const MOST_STATES = 4_000_000;

const options = optionsOf(process.argv.slice(2));
if (typeof options === 'string') {
  console.error(options);
  process.exit(2);
}
const { bound, variants, real } = options;
const faults: string[] = [];
const exercised = notExercised();
const progress = new Progress();

function explore(): void {
  console.log(`exploring the real code at bound ${bound}`);
  for (const scenario of scenariosOf(bound)) {
    const begun = Date.now();
    const explored = new Search(scenario, { maxStates: MOST_STATES, progress: progress.of(scenario.name) }).run();
    progress.done();
    console.log(sayExplored(scenario, explored, Date.now() - begun));
    for (const { invariant, trace } of explored.violations) {
      faults.push(`${scenario.name}: ${INVARIANTS[invariant]}`);
      console.log(sayTrace(invariant, trace));
    }
    for (const key of INVARIANT_KEYS) exercised[key] += explored.exercised[key];
  }
  console.log('\ninvariants, and how often each was put to the test:');
  for (const key of INVARIANT_KEYS) {
    console.log(`  ${String(exercised[key]).padStart(10)}  ${key.padEnd(17)} ${INVARIANTS[key]}`);
    if (exercised[key] === 0) faults.push(`${key} was never put to the test`);
  }
}

function find(variant: Variant, words: boolean): void {
  const begun = Date.now();
  const explored = new Search(variant.scenario, { rules: variant.rules, until: variant.breaks, progress: progress.of(variant.name) }).run();
  progress.done();
  const violation = explored.violations.find((v) => v.invariant === variant.breaks);
  const found = violation === undefined ? 'NOT FOUND' : `found in ${violation.trace.length} steps`;
  console.log(`  ${variant.name.padEnd(28)} ${found}, ${explored.states} states, ${Date.now() - begun} ms: ${variant.what}`);
  if (violation === undefined) faults.push(`${variant.name} was not found`);
  else if (words) console.log(sayTrace(violation.invariant, violation.trace));
}

const begun = Date.now();
if (real) explore();
if (variants.length > 0) console.log('\nbroken variants:');
for (const variant of variants) find(variant, options.words);
for (const fault of faults) console.log(`FOUND: ${fault}`);
const megabytes = Math.round(process.resourceUsage().maxRSS / 1_024);
console.log(`\n${faults.length === 0 ? 'everything holds' : 'FAILED'} (${Math.round((Date.now() - begun) / 1_000)} s, ${megabytes} MB)`);
process.exitCode = faults.length === 0 ? 0 : 1;
