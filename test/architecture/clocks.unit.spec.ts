// Leases, graces and backoffs are reckoned by lane time, in one place. A process's clock may be wrong, so whoever reads
// one is named here, with what he needs it for.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');

const OF_A_PROCESS: Readonly<Record<string, string>> = {
  'apps/cli/src/commands/drill.ts': 'when a synthetic alert begins, as its sender says',
  'apps/cli/src/commands/gate.ts': 'how long a script waits for the gate',
  'apps/cli/src/commands/rollback.ts': 'how long a service that restarts is waited for',
  'apps/cli/src/drill/outside/alertmanager-way.ts': 'when a synthetic alert ends, as Alertmanager is told',
  'apps/cli/src/terminal/progress.ts': 'how fast a line of progress moves',
  'apps/demo/src/emitter.ts': 'an emitter has a clock of its own',
  'apps/demo/src/journal.ts': 'a journal for a person',
  'apps/demo/src/worker/attempt.ts': 'how long a handler of the demonstration took',
  'apps/server/src/boot/run.ts': 'the name of an example job',
  'apps/server/src/rest/runs.controller.ts': 'until when a link approves',
  'apps/server/src/wiring/kafka-in.ts': 'a metric: how far behind the broker intake is',
  'apps/server/src/wiring/canary-gate.ts': 'when a gate has answered, for people',
  'libs/embedded-postgres/src/processes.ts': 'how long a process is waited for',
  'libs/embedded-postgres/src/start.ts': 'how long a start is tried',
  'libs/embedded-postgres/src/supervise.ts': 'how long a server has lived',
  'libs/kafka/src/client/request-queue.ts': 'the broker’s throttle, as kafkajs reckons it',
  'libs/webhooks/src/http-webhook-sender.ts': 'the time of sending, which the signature covers',
};

/** The database's clock as it is: not lane time, which a manual clock moves. */
const OF_THE_DATABASE: Readonly<Record<string, string>> = {
  'libs/postgres/src/dead-letters/redrive-statements.ts': 'whose step of a redrive is under way',
  'libs/postgres/src/erasure/statements.ts': 'when an entry of the quarantine was closed',
  'libs/postgres/src/fold-version/pg-fold-version-store.ts': 'whether a replica is alive',
  'libs/postgres/src/housekeeping/pg-housekeeping.ts': 'ages of what is no longer needed',
  'libs/postgres/src/lanes/pg-lane-clock.ts': 'whether a replica is alive',
  'libs/postgres/src/notices/pg-notice-store.ts': 'the next try of a notice',
  'libs/postgres/src/operate/pg-quarantine-desk.ts': 'when an entry was closed',
  'libs/postgres/src/publish/delivery-statements.ts': 'the next try of a webhook',
  'libs/postgres/src/publish/lease-statements.ts': 'which replica publishes a shard',
  'libs/postgres/src/publish/outbound-statements.ts': 'when something was parked',
  'libs/postgres/src/publish/report-statements.ts': 'the next try of what was parked',
  'libs/postgres/src/read/queue-statements.ts': 'the age of the oldest transaction',
  'libs/postgres/src/recovery/pg-recovery-store.ts': 'the hours that an epoch is at least of',
  'libs/postgres/src/revisions/statements.ts': 'whether a replica is alive',
};

const PROCESS_CLOCK = /\bDate\.now\b|\bnew Date\(\)|(?<!new )\bDate\(\)/u;
/** `performance.now()` is of the machine: how long something took, and never when. */
const DATABASE_CLOCK = /(?<!\bperformance\.)\b(?:clock_timestamp|statement_timestamp|transaction_timestamp|now)\(\)|\bCURRENT_TIMESTAMP\b/u;

/** Sources that ship, without comments. */
function sources(): readonly (readonly [file: string, text: string])[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'apps', 'libs'], { cwd: root, encoding: 'utf8' });
  const files = listed.split('\n').filter((file) => file.endsWith('.ts') && !/\.(?:spec|fixture)\.ts$|^libs\/testing\/|^apps\/dashboard\//u.test(file));
  return files.map((file) => [file, withoutComments(readFileSync(join(root, file), 'utf8'))]);
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gmu, '');
}

const readers = (clock: RegExp): string[] => sources().flatMap(([file, text]) => (clock.test(text) ? [file] : []));

describe('G1: a clock', () => {
  it('of the process is read by those named here alone, and none of them reckons a lease', () => {
    expect(readers(PROCESS_CLOCK).sort()).toEqual(Object.keys(OF_A_PROCESS).sort());
  });

  it('of the database stands for lane time nowhere but in lane_now()', () => {
    const files = readers(DATABASE_CLOCK).filter((file) => file.startsWith('libs/postgres/'));
    expect(files.sort()).toEqual(Object.keys(OF_THE_DATABASE).sort());
  });

  it.each([
    ['the clock', 'const due = Date.now() + leaseMs;', true],
    ['a new date', 'const due = new Date().getTime();', true],
    ['a date of a number', 'const shown = new Date(laneMs).toISOString();', false],
    ['a comment', '// never Date.now()', false],
  ])('is found in %s', (_, text, found) => {
    expect(PROCESS_CLOCK.test(withoutComments(text))).toBe(found);
  });

  it('of the lane is asked once for all rows that are compared with it, and not for each: it would have no index either', () => {
    expect(readers(/[<>]=? \(?jobwarden\.lane_now\(\)/u)).toEqual([]);
  });

  it('is no part of where a lease ends: the plan says that of a job, and one statement of a queue’s', () => {
    const ends = /\+\s*(?:coalesce\()?(?:\w+\.)*(?:leaseMs|lease_ms|threshold\.ms|stuckAfter\.ms|graceMs)\b/u;
    expect(readers(ends).sort()).toEqual([
      'libs/domain/src/job/plan/lease.ts',
      'libs/domain/src/job/plan/plan-processing.ts',
      'libs/postgres/src/guards/blackout-statements.ts',
    ]);
  });
});
