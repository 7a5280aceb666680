import { readEnvironment, type Environment, type Fault, type Variables } from '#libs/config';
import { createLogger, stopTracing } from '#libs/observability';
import type { Logger } from 'pino';
import { banner, configurationFaults, startFailure } from './messages.js';
import { openPolicies } from './open-policies.js';
import { Service } from './start.js';
import { withStarterPolicy } from './starter-policy.js';

/** Exit codes: 0 ended as asked, 1 failed, 2 the configuration is refused. */
const FAILED = 1;
const REFUSED = 2;
/** Longer than all parts together wait by themselves. */
const LAST_MS = 40_000;

/**
 * What runs in the process beside a service that serves, such as the demo. Resolves to the code to end with, or to null
 * to go on serving; soon, once `signal` is aborted.
 */
export type Guest = (service: { readonly url: string; readonly signal: AbortSignal }) => Promise<number | null>;

/** The service as a process: configuration, signals, exit code. Resolves once it serves, and its guest has finished. */
export async function run(env: Variables, guest?: Guest): Promise<void> {
  const parsed = readEnvironment(env);
  if (!parsed.ok) {
    refuse(parsed.faults);
    return;
  }
  const environment = prepared(parsed.value);
  if (environment === null) return;
  const log = createLogger({ level: environment.logLevel, readable: !environment.production });
  const opened = await openPolicies(environment, env, log);
  if (!opened.ok) {
    refuse(opened.faults);
    return;
  }
  const { files } = opened.value;
  const service = new Service({ environment, env, log, ...opened.value });
  const ender = new Ender(service, log);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void ender.end(0));
  process.on('SIGHUP', () => void files.reload());
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught error');
    void ender.end(FAILED);
  });
  try {
    await service.start();
  } catch (error) {
    const words = startFailure(error, environment);
    if (words === null) log.fatal({ err: error }, 'the service could not be started');
    else process.stderr.write(`\n${words}`);
    await ender.end(FAILED);
  }
  if (ender.ending) return;
  if (environment.production) log.info({ url: service.url, roles: environment.roles }, 'ready');
  else process.stdout.write(banner(service.url, environment, { demo: guest !== undefined, jobId: jobToTry() }));
  if (guest !== undefined) await ender.host(guest, service.url);
}

/** Such as `try-191842`: another one at each start. */
function jobToTry(): string {
  return `try-${new Date().toISOString().slice(11, 19).replaceAll(':', '')}`;
}

/** null: the data folder cannot be used, and has been told of. */
function prepared(environment: Environment): Environment | null {
  try {
    return withStarterPolicy(environment);
  } catch (error) {
    const words = startFailure(error, environment);
    if (words === null) throw error;
    process.stderr.write(`\n${words}`);
    process.exitCode = FAILED;
    return null;
  }
}

/** Ends the process once, whatever asks for it and how often. */
class Ender {
  private under: Promise<never> | null = null;
  private guest: Promise<number | null> = Promise.resolve(null);
  private readonly over = new AbortController();

  constructor(
    private readonly service: Service,
    private readonly log: Logger,
  ) {}

  get ending(): boolean {
    return this.under !== null;
  }

  /** The guest leaves before the service that it uses. */
  async host(guest: Guest, url: string): Promise<void> {
    this.guest = guest({ url, signal: this.over.signal });
    const code = await this.guest;
    if (code !== null) await this.end(code);
  }

  end(code: number): Promise<never> {
    this.under ??= this.stop(code);
    return this.under;
  }

  private async stop(code: number): Promise<never> {
    setTimeout(() => {
      this.log.fatal('the end takes too long: giving up');
      process.exit(FAILED);
    }, LAST_MS).unref();
    this.over.abort();
    await this.guest.catch(() => undefined);
    await this.service.stop();
    await stopTracing();
    process.exit(code);
  }
}

function refuse(faults: readonly Fault[]): void {
  process.stderr.write(configurationFaults(faults));
  process.exitCode = REFUSED;
}
