import { formatFaults, type Environment, type Fault } from '#libs/config';

/** What a person reads who has just started the service. */
export function banner(url: string, environment: Environment): string {
  const where =
    environment.database.mode === 'embedded'
      ? `PostgreSQL embedded, data in ${environment.database.dataDir}`
      : 'PostgreSQL as given by JOBWARDEN_DATABASE_URL';
  const policy = environment.configFile ?? 'none: everything is observed, nothing is done (JOBWARDEN_CONFIG)';
  return `
Jobwarden is ready.

  Jobs      ${url}/v1/jobs
  Queues    ${url}/v1/queues
  API       ${url}/openapi.json
  Metrics   ${url}/metrics
  Database  ${where}
  Policy    ${policy}

Try it: a job that begins, with a lease of five seconds, and then falls silent.

  curl ${url}/v1/events -H 'content-type: application/cloudevents+json' -d '{
    "specversion": "1.0", "id": "1", "source": "/try", "subject": "job-1",
    "type": "jobwarden.job.started.v1",
    "data": {"queue": "emails", "worker": {"id": "w1"}, "leaseMs": 5000}}'

  curl ${url}/v1/queues/emails/jobs/job-1
  curl '${url}/v1/reconciliations?verdict=lost'     # six seconds later

Ctrl-C ends it.
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
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return `Port ${String(port)} of ${host} is taken, perhaps by another Jobwarden.\nEnd that one, or take a free port: JOBWARDEN_HTTP_PORT=0\n`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is no address of this machine.\nSet JOBWARDEN_HTTP_HOST to one that is, such as 127.0.0.1\n`;
    case 'EACCES':
      return `Port ${String(port)} may not be taken by this user.\nSet JOBWARDEN_HTTP_PORT to one above 1023\n`;
    default:
      return isForPeople(error) ? `${error.message}\n` : null;
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
    error.name === 'DataDirInUseError' ||
    error.name === 'ServerStartError' ||
    error.name === 'EmbeddedPostgresError' ||
    error.name === 'TerminalError'
  );
}
