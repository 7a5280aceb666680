import { runVersions } from './run.js';

/**
 * `npm run soak:versions`: ten minutes of two releases side by side (JOBWARDEN_TEST_SECONDS), then the switch. Exits
 * non-zero when anything is found.
 */
const SECONDS = Number(process.env['JOBWARDEN_TEST_SECONDS'] ?? 600);

const report = await runVersions({
  mixedMs: SECONDS * 1_000,
  jobsPerSecond: 20,
  print: (line) => {
    process.stderr.write(process.stderr.isTTY ? `\r${line}        ` : `${line}\n`);
  },
});

const { old, next, counted, acknowledged, moved, movedSeconds, cycleSeconds, findings } = report;
console.log(`\n${String(SECONDS)} s side by side      old      next`);
for (const [name, of] of [['events appended', 'appended'], ['decisions', 'decided'], ['messages published', 'published'], ['rows audited', 'audited']] as const) {
  console.log(`  ${name.padEnd(20)} ${String(old[of]).padStart(7)}  ${String(next[of]).padStart(7)}`);
}
console.log(`acknowledged events ${String(acknowledged)}, in the log ${String(counted.events)}, jobs ${String(counted.jobs)}`);
console.log(`leases lost ${String(counted.lost)}, commands ${String(counted.commands)}`);
console.log(`after the switch ${String(moved)} rows moved in ${String(movedSeconds)} s; a cycle of the audit was ${String(cycleSeconds)} s`);
for (const finding of findings.slice(0, 50)) console.log(`FOUND: ${finding}`);
console.log(findings.length === 0 ? 'nothing lost, nothing doubled, nothing misread' : 'FAILED');
process.exitCode = findings.length === 0 ? 0 : 1;
