import { formatFaults, type Environment, type Fault } from '#libs/config';
import { isStarterPolicy } from './starter-policy.js';

export interface BannerOptions {
  /** The demo shows its own jobs: nothing is left to be tried by hand. */
  readonly demo: boolean;
  /** Of the job to try with. Another one at each start: the database remembers the last one's. */
  readonly jobId: string;
}

/** What a person reads who has just started the service. */
export function banner(url: string, environment: Environment, { demo, jobId }: BannerOptions): string {
  const where =
    environment.database.mode === 'embedded'
      ? `PostgreSQL embedded, data in ${environment.dataDir}`
      : 'PostgreSQL as given by JOBWARDEN_DATABASE_URL';
  const policy = environment.configFile ?? 'none: everything is observed, nothing is done (JOBWARDEN_CONFIG)';
  return `
Jobwarden is ready.

${environment.dashboard === 'on' ? `  Dashboard ${url}/\n` : ''}  Jobs      ${url}/v1/jobs
  Queues    ${url}/v1/queues
  API       ${url}/openapi.json
  Metrics   ${url}/metrics
  Database  ${where}
  Policy    ${policy}
${demo ? '' : toTry(url, isStarterPolicy(environment), jobId)}
Ctrl-C ends it.
`;
}

/** A job that falls silent; with the starter policy it is put back, elsewhere perhaps only reported. */
function toTry(url: string, acts: boolean, jobId: string): string {
  const becomes = acts
    ? 'and eight seconds later the job comes back'
    : 'and eight seconds later the job is found lost; the policy decides whether it is put back';
  const result = acts ? `${url}/v1/queues/playground/jobs/${jobId}` : `${url}/v1/reconciliations?queue=playground`;
  return `
Try it in another terminal: a worker begins a job and falls silent, ${becomes}.

  curl -sS ${url}/v1/events -H 'content-type: application/json' -w '\\n' -d '[
    {"specversion": "1.0", "id": "1", "source": "shop", "subject": "${jobId}",
     "type": "jobwarden.job.queued.v1", "data": {"queue": "playground"}},
    {"specversion": "1.0", "id": "1", "source": "worker-1", "subject": "${jobId}",
     "type": "jobwarden.job.started.v1",
     "data": {"queue": "playground", "worker": {"id": "worker-1"}, "leaseMs": 5000}}]'
  curl -sN --max-time 12 '${url}/v1/streams/commands?queue=playground'
  curl -sS '${result}' -w '\\n'
`;
}

export function configurationFaults(faults: readonly Fault[]): string {
  const count = faults.length === 1 ? 'One thing is' : `${String(faults.length)} things are`;
  return `${count} wrong with the configuration:\n\n${formatFaults(faults)}\n\nNothing was started.\n`;
}

/** Failures that a newcomer meets, in words that help; null: let the log say it. */
export function startFailure(error: unknown, environment: Environment): string | null {
  if (!(error instanceof Error)) return null;
  const { host, port } = environment.http;
  if ('path' in error && FOLDER_TROUBLES.has(codeOf(error))) {
    return `The data folder ${environment.dataDir} cannot be used: ${error.message}.\nName another one: JOBWARDEN_DATA_DIR=…\n`;
  }
  if (environment.database.mode === 'external') {
    const words = refusedByDatabase(codeOf(error), error.message);
    if (words !== null) return words;
  }
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return `Port ${String(port)} of ${host} is taken, perhaps by another Jobwarden.\nEnd that one, or take a free port: JOBWARDEN_HTTP_PORT=0\n`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is no address of this machine.\nSet JOBWARDEN_HTTP_HOST to one that is, such as 127.0.0.1\n`;
    case 'EACCES':
      return `Port ${String(port)} may not be taken by this user.\nSet JOBWARDEN_HTTP_PORT to one above 1023\n`;
    default:
      if (error.name === 'DataDirInUseError') return `${error.message}\nA folder is named by JOBWARDEN_DATA_DIR=…\n`;
      return isForPeople(error) ? `${error.message}\n` : null;
  }
}

/** A server that is there and says no, by its SQLSTATE. */
function refusedByDatabase(code: string, message: string): string | null {
  switch (code) {
    case '28P01':
    case '28000':
      return `The database refuses the user or the password of JOBWARDEN_DATABASE_URL: ${message}.\n`;
    case '3D000':
      return `The database of JOBWARDEN_DATABASE_URL is not there: ${message}.\nMake it (createdb), or mend the URL.\n`;
    case '42501':
      return `The user of JOBWARDEN_DATABASE_URL lacks a right: ${message}.\nTo migrate it has to own the database, and may create a role (ALTER ROLE … CREATEROLE). One that shall only serve: docs/upgrade.md.\n`;
    default:
      return null;
  }
}

/** Of files and folders; those of a socket have no path. */
const FOLDER_TROUBLES: ReadonlySet<string> = new Set(['EACCES', 'EEXIST', 'EISDIR', 'ENOENT', 'ENOSPC', 'ENOTDIR', 'EPERM', 'EROFS']);

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Errors whose message was written to be read by whoever starts the service. */
function isForPeople(error: Error): boolean {
  return (
    error.name === 'ServerStartError' ||
    error.name === 'EmbeddedPostgresError' ||
    error.name === 'TerminalError'
  );
}
