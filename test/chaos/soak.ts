import { WINDOWS } from './windows.js';
import { runChaos } from './run.js';

/**
 * `npm run soak`: at least 100 kills in each window, at least 1,000 leases lost. Prints the histogram; exits non-zero
 * when a count is missed or anything is found.
 */
const KILLS = Number(process.env['JOBWARDEN_TEST_KILLS'] ?? 100);
const LOST = Number(process.env['JOBWARDEN_TEST_LOST'] ?? 1_000);

const begun = Date.now();
const report = await runChaos({
  killsPerWindow: KILLS,
  jobsPerSecond: 20,
  minLost: LOST,
  seed: 7,
  print: (line) => {
    process.stderr.write(process.stderr.isTTY ? `\r${line}        ` : `${line}\n`);
  },
});

const { kills, counted, acknowledged, findings } = report;
console.log(`\nkills by window (${String(Math.round((Date.now() - begun) / 1_000))} s):`);
for (const window of WINDOWS) {
  console.log(`  ${window.padEnd(20)} ${String(kills[window]).padStart(4)} ${'#'.repeat(Math.ceil(kills[window] / 2))}`);
}
console.log(`acknowledged events ${String(acknowledged)}, in the log ${String(counted.events)}, jobs ${String(counted.jobs)}`);
console.log(`leases lost ${String(counted.lost)}, commands ${String(counted.commands)}`);
for (const finding of findings.slice(0, 50)) console.log(`FOUND: ${finding}`);

const missed = WINDOWS.filter((w) => kills[w] < KILLS);
for (const window of missed) console.log(`MISSED: fewer than ${String(KILLS)} kills in ${window}`);
if (counted.lost < LOST) console.log(`MISSED: fewer than ${String(LOST)} leases lost`);
const ok = findings.length === 0 && missed.length === 0 && counted.lost >= LOST;
console.log(ok ? 'nothing lost, nothing doubled' : 'FAILED');
process.exitCode = ok ? 0 : 1;
