import { runCommand } from '../figures/command.js';
import { isMissed, type TrustCount, type TrustFigure } from './figure.js';
import { detection } from './figures/detection.js';
import { falseVerdicts } from './figures/false-verdicts.js';
import { outage } from './figures/outage.js';
import { replicas } from './figures/replicas.js';
import { shadow } from './figures/shadow.js';
import { thresholds } from './figures/thresholds.js';
import { readOptions, USAGE, type TrustOptions } from './options.js';

const FIGURES: readonly TrustFigure[] = [thresholds, shadow, falseVerdicts, detection, replicas, outage];

/** Returns what was missed. */
async function tell(figure: TrustFigure, { real }: TrustOptions): Promise<readonly string[]> {
  console.log(`\n== ${figure.title}`);
  const reason = figure.leftOut?.() ?? null;
  if (reason !== null) {
    console.log(`left out: ${reason}`);
    return process.env['CI'] === 'true' ? [`${figure.name}: left out, ${reason}`] : [];
  }
  const begun = performance.now();
  const result = await figure.run({ real, progress: (text) => console.error(`… ${figure.name}: ${text}`) });
  for (const line of result.method) console.log(`  method: ${line}`);
  for (const line of result.lines) console.log(`  ${line}`);
  for (const count of result.counts) console.log(`  ${countText(count)}`);
  console.log(`  (${((performance.now() - begun) / 1_000).toFixed(0)} s)`);
  return result.counts.filter(isMissed).map((count) => `${figure.name}: ${countText(count)}`);
}

function countText(count: TrustCount): string {
  const { of, found, wanted } = count;
  const [[word, number] = []] = Object.entries(wanted);
  const text = { exactly: 'wanted', atLeast: 'wanted at least', atMost: 'wanted at most' }[word as 'exactly'];
  return `${isMissed(count) ? 'MISSED' : 'ok'}: ${of}: ${String(found)} (${text} ${String(number)})`;
}

async function main(options: TrustOptions): Promise<number> {
  const missed: string[] = [];
  for (const figure of options.figures) {
    try {
      missed.push(...(await tell(figure, options)));
    } catch (error) {
      console.error(error);
      missed.push(`${figure.name}: broke off`);
    }
  }
  console.log(missed.length === 0 ? '\nEvery count is as wanted.' : `\nMissed:\n${missed.map((m) => `  ${m}`).join('\n')}`);
  return missed.length === 0 ? 0 : 1;
}

process.exitCode = await runCommand({ usage: USAGE, read: (args) => readOptions(args, FIGURES), run: main });
