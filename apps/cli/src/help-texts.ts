import { MAPPING_KEYS } from './replay/mapping.js';

export const AFTER_ALL = `
Exit codes:
  0  fine
  1  differences found, or some of the work failed
  2  refused, or called wrongly: nothing was done
  3  the database or the service does not answer

Environment:
  JOBWARDEN_DATABASE_URL  the database of migrate, audit, rebuild, fold-version and recover;
                          absent: the embedded one of JOBWARDEN_DATA_DIR (.jobwarden/), running or not
  JOBWARDEN_SHARDS        shards of a database that migrate creates
  JOBWARDEN_CONFIG        policy file by which rebuild plans looks anew
  JOBWARDEN_TOKEN         API token of jobs, dead-letters, compare, replay and observe; or --token-file`;

const WIDTH = Math.max(...Object.keys(MAPPING_KEYS).map((key) => key.length));

export const AFTER_REPLAY = `
Mapping (--map key=value, or a JSON file with these keys):
${Object.entries(MAPPING_KEYS)
  .map(([key, meaning]) => `  ${key.padEnd(WIDTH)}  ${meaning}`)
  .join('\n')}

Events go out in the order of their own times; an end that lies before its start goes right after the
start. Ids are made of the job's id, so a replay that broke off is repeated as it is: what was stored is
there already. Broken lines are told with their number, left out, and end the command with 1.

Examples: examples/replay/.`;

export const AFTER_SERVE = `
What npm start does in a checkout. Everything is set by variables and the policy file: docs/configuration.md. Without
JOBWARDEN_DATABASE_URL a PostgreSQL of its own runs below .jobwarden/ of the current folder.`;

export const AFTER_MIGRATE = `
Without options the schema is brought up to date; a new database gets its shards and its clock, which are
fixed from then on. Safe to run from many processes at once: one runs, the others wait, and say for whom. A
migration that does not get its locks within two seconds lets others go first and tries again. What has run is
told on standard output, what is waited for on standard error. Taking migrations back drops their tables.

Exit codes:
  0  the schema is up to date
  1  with --dry-run: something would run; else something failed
  2  refused: also when --wait is over, or a newer release has changed what this one needs
  3  the database does not answer`;

export const AFTER_AUDIT = `
Compares rows with the fold of their log, then counters with the rows, and numbers with the shards'
counters. The service may run meanwhile. Differences end the command with 1, also when they are repaired:
repairing rewrites from the log, under the row's lock, and records the drift.`;

export const AFTER_REBUILD = `
Folds everything again: rows, counters, run times; with JOBWARDEN_CONFIG also when each job is looked at
next. In small batches, while the service may run; repeat it when it was interrupted. Refused when a newer
program has written rows.`;

export const AFTER_RECOVER = `
A restored database is only observed: nothing is decided, granted or sent, until this command. Lanes of Kafka go on
from where the backup had come to, and what lies there since is read again; --rewind goes further back. Refused,
with 2, where nothing shows a restore. docs/backup.md goes through all of it.`;

export const AFTER_FOLD_VERSION = `
A new release may store rows in a new form. It goes on writing the old one, so that replicas of both releases
work side by side, until this command has switched. The switch is refused, with 2, while a live replica cannot
write the new form (they are named), and there is no way back: an older program is refused from then on, at its
start or, where it was paused meanwhile, with every write. Rows are moved by the audit of the running service.
A new database begins with the newest form of the program that makes it.`;

export const AFTER_ROLLBACK = `
Opens an incident and follows it, step by step, until everything is let in again or a person is asked. The run is the
service's: Ctrl-C ends the command, with 1, and not the run, and a service that restarts goes on with it.

The target is looked at before anything is done. Is it not there, paused, at no workers, or keeps no release that
proved healthy and fits the schema, the rollback is refused; approving its incident refuses the revision all the
same. A queue without a target has its revision refused everywhere, and nothing is rolled back.

Exit codes:
  0  rolled back and verified, or refused everywhere where there is no target; with --dry-run: told
  1  failed, escalated or given up after something was done, or may have been
  2  refused: nothing at all was done
  3  the service does not answer`;

export const AFTER_GATE = `
Asks what GET /v1/gates/canary answers; docs/canary.md says what it rests on. Looking often does no harm. With --wait it
goes on until the canary is told to be healthy or unhealthy, and meanwhile waits for what is missing: workers of the
canary, attempts that end, a signature under a postmortem, a service that restarts.

Exit codes:
  0  healthy, and nothing keeps the gate closed: go on
  1  unhealthy: roll back
  2  refused, called wrongly, or it cannot be judged: queue, target or revision is unknown, or there is no stable
  3  the service or its database does not answer
  4  not told yet, or closed by a postmortem: hold`;

export const AFTER_DRILL = `
Everything is in the queue jobwarden-drill of the namespace jobwarden-drill, where the service never acts, whatever
its policy says. The page is a real one, and begins with DRILL. What was begun is ended. The token needs the
scopes read, emit and operate, in every namespace. docs/drill.md has the links.

Without --alertmanager the command itself calls POST /v1/alerts, as Alertmanager would. With it the alert goes the
real way, there and back. A token for Prometheus or Alertmanager comes from a variable that is named: other users of
this machine see arguments. Whatever receivers the route of such an alert has are told as well.

Exit codes:
  0  every link that was tried works
  1  some are broken
  2  refused, or called wrongly
  3  the service does not answer`;

export const AFTER_COMPARE = `
One JSON object a line: {"queue", "id", "status", "attempt"?, "namespace"?}; other fields are left alone. Of a CSV
the columns have these names. Kinds of differences:
  unknown_here   they know a job that we do not
  unknown_there  it is not finished here, and they do not have it
  theirs_behind  they say less than we know: a stale cache
  theirs_ahead   they say more than we know: an event was lost
  differs        they say something else, and neither is further

A difference is looked at twice, and is none where the job has only moved since the list was made.
  --mend invalidate  sends the cache keys of what is theirs_behind again, at every level
  --mend requeue     restarts what they do not run and we take for queued or processing: at the level of
                     the queue, within its budget, and never under a live lease

Differences and broken lines end the command with 1.`;

export const AFTER_SHADOW_REPORT = `
PRECISION is the share of graded verdicts that were right; AT LEAST is the lower end of its Wilson score interval
at 95 %, which is what the next level is suggested by. What is not graded yet counts for neither.

Wrong verdicts end the command with 1.`;

export const AFTER_OBSERVE = `
No worker is changed, and nothing is written: not a key, not a row. docs/observe.md leads to the first shadow
report in ten minutes, and has the rights that are enough.

A queue is watched once its policy says owner: queue, since its own library retries and recovers its jobs; until
then the command waits. It ends with Ctrl-C; what it has not sent by then it sends first. Started again, it tells
what it told before under the same ids, which are known already, and what has happened meanwhile.`;

export const AFTER_OBSERVE_BULLMQ = `
Facts come from the queue's events stream, leases from the locks: a worker that is killed is seen as lost when its
lock runs out, some time before BullMQ's own stall check puts the job back. Give an address with a password by
REDIS_URL: other users of this machine see arguments.`;

export const AFTER_OBSERVE_PG_BOSS = `
Looks once a second, in read-only transactions. Leases come from the jobs' expiry, and from heartbeats where the
queue has them. Give an address with a password by DATABASE_URL: other users of this machine see arguments.`;
