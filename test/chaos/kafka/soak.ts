import { FAILPOINT_WINDOWS } from '#libs/application';
import { runKafkaChaos } from './run.js';

/**
 * `npm run soak:kafka`: three replicas, 200,000 events over a real broker, at least 100 kills in each window, at least
 * 1,000 leases lost. Prints the histogram; exits non-zero when a count is missed or anything is found.
 */
const KILLS = Number(process.env['JOBWARDEN_TEST_KILLS'] ?? 100);
const LOST = Number(process.env['JOBWARDEN_TEST_LOST'] ?? 1_000);
const EVENTS = Number(process.env['JOBWARDEN_TEST_EVENTS'] ?? 200_000);

const begun = Date.now();
const report = await runKafkaChaos({
  killsPerWindow: KILLS,
  events: EVENTS,
  eventsPerSecond: Math.max(500, EVENTS / (KILLS * 12)),
  jobsPerSecond: 20,
  replicas: 3,
  minLost: LOST,
  seed: 7,
  print: (line) => {
    process.stderr.write(process.stderr.isTTY ? `\r${line}        ` : `${line}\n`);
  },
});

const { kills, counted, acknowledged, findings, published } = report;
console.log(`\nkills by window (${String(Math.round((Date.now() - begun) / 1_000))} s, three replicas):`);
for (const window of FAILPOINT_WINDOWS) {
  console.log(`  ${window.padEnd(20)} ${String(kills[window]).padStart(4)} ${'#'.repeat(Math.ceil(kills[window] / 2))}`);
}
console.log(`acknowledged events ${String(acknowledged)}, in the log ${String(counted.events)}, jobs ${String(counted.jobs)}`);
console.log(`leases lost ${String(counted.lost)}, commands ${String(counted.commands)}, records of the command topic ${String(published.commands)}, behind an invalidation ${String(published.withInvalidation)}`);
for (const finding of findings.slice(0, 50)) console.log(`FOUND: ${finding}`);

const missed = [
  ...FAILPOINT_WINDOWS.filter((w) => kills[w] < KILLS).map((w) => `kills in ${w}`),
  ...(acknowledged < EVENTS ? ['events'] : []),
  ...(counted.lost < LOST ? ['leases lost'] : []),
  ...(published.withInvalidation === 0 ? ['requeues with an invalidation'] : []),
];
if (missed.length > 0) console.log(`MISSED: ${missed.join(', ')}`);
process.exit(missed.length + findings.length === 0 ? 0 : 1);
