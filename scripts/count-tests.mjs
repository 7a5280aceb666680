// What a continuous build says at its end of the tests that it ran: how many passed and failed, and of each failure its file, its
// name and how it failed. Output that is kept only in part still says then what to look at.
//
//   node scripts/count-tests.mjs <folder with JSON reports of Vitest, report*.json>
//
// The last line on standard output is `<passed> <failed>`; all else goes to standard error.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Of a long failure its beginning and its end: what was expected stands in the one, what a process said last in the other. */
const [FIRST_LINES, LAST_LINES] = [12, 18];
const [folder] = process.argv.slice(2);
let passed = 0;
let failed = 0;

for (const name of readdirSync(folder).filter((entry) => /^report.*\.json$/u.test(entry)).sort()) {
  const report = JSON.parse(readFileSync(join(folder, name), 'utf8'));
  passed += report.numPassedTests;
  failed += report.numFailedTests;
  for (const file of report.testResults) {
    for (const test of file.assertionResults) if (test.status === 'failed') tell(file.name, test.fullName, test.failureMessages);
    // A file that could not be read, or whose hooks failed, has no failed test.
    if (file.status === 'failed' && file.assertionResults.every(({ status }) => status !== 'failed')) {
      failed += 1;
      tell(file.name, '(the file as a whole)', [file.message]);
    }
  }
}
console.log(`${String(passed)} ${String(failed)}`);

function tell(file, test, messages) {
  console.error(`\nfailed test: ${relative(process.cwd(), file)} > ${test}`);
  for (const message of messages) console.error(shortened(message.split('\n')).join('\n'));
}

function shortened(lines) {
  if (lines.length <= FIRST_LINES + LAST_LINES) return lines;
  return [...lines.slice(0, FIRST_LINES), `… (${String(lines.length - FIRST_LINES - LAST_LINES)} lines)`, ...lines.slice(-LAST_LINES)];
}
