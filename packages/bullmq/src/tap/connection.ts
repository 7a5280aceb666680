import { Redis, type RedisOptions } from 'ioredis';

/** Why a tap cannot begin, in words for whoever called it. */
export class ObserveError extends Error {
  override readonly name = 'ObserveError';

  constructor(
    /** `unreachable`: worth another try. `refused`: wrong password, missing rights, a cluster. `no_such_queue`. */
    readonly code: 'unreachable' | 'refused' | 'no_such_queue',
    message: string,
    { cause, there = [] }: { readonly cause?: unknown; readonly there?: readonly string[] } = {},
  ) {
    super(message, { cause });
    this.there = there;
  }

  /** Of `no_such_queue`: those that there are. */
  readonly there: readonly string[];
}

const LONGEST_WAIT_MS = 5_000;

/**
 * One connection that only reads. It gives itself no name and asks for no INFO, so that a user with the rights to read a
 * queue's keys, and no other, is enough. `redis://` and `rediss://` (TLS), user and password as in `redis://user:password@host`.
 * @throws ObserveError when it cannot be made; once made, it comes back by itself
 */
export async function connect(url: string, options: RedisOptions = {}): Promise<Redis> {
  if (!URL.canParse(url) || !/^rediss?:$/u.test(new URL(url).protocol)) {
    throw new ObserveError('refused', 'The address of Redis must begin with redis:// or, for TLS, rediss://.');
  }
  let connected = false;
  const redis = new Redis(url, {
    connectTimeout: 10_000,
    // Longer than any stream is waited for. Without it a connection that broke unnoticed would be waited for without end.
    commandTimeout: 30_000,
    ...options,
    lazyConnect: true,
    enableReadyCheck: false,
    disableClientInfo: true,
    // What was asked while Redis was away is asked again by the tap itself, which knows what still matters then.
    maxRetriesPerRequest: 0,
    retryStrategy: (tries) => (connected ? Math.min(100 * 2 ** tries, LONGEST_WAIT_MS) : null),
  });
  const failure = new Promise<never>((_, reject) => redis.on('error', reject));
  // Nobody waits for it once there is a connection.
  failure.catch(() => undefined);
  try {
    // A refused password is an error of the connection's, and leaves what was asked without an answer.
    await Promise.race([failure, redis.connect().then(() => redis.ping())]);
  } catch (error) {
    redis.disconnect();
    throw asObserveError(error, url);
  }
  connected = true;
  return redis;
}

/** As what Redis or the network answered; the address without its password. */
export function asObserveError(error: unknown, url: string): ObserveError {
  if (error instanceof ObserveError) return error;
  const { message, code } = error instanceof Error ? (error as Error & { code?: string }) : { message: String(error) };
  const { host } = new URL(url);
  // The error itself carries the command, and that of AUTH is the password.
  const cause = new Error(message);
  const said = (mend: string) => new ObserveError('refused', `Redis at ${host} says: ${message.replace(/[.]$/u, '')}. ${mend}`, { cause });
  if (/^WRONGPASS|invalid password/iu.test(message)) return said('Give user and password in the address: redis://user:password@host.');
  if (message.startsWith('NOAUTH')) return said('It wants a password: redis://:password@host, or redis://user:password@host.');
  if (message.startsWith('NOPERM')) return said('The rights that a tap needs are in docs/observe.md.');
  if (/^(MOVED|ASK|CROSSSLOT|CLUSTERDOWN)/u.test(message)) return said('It is a Redis Cluster, which a tap does not read.');
  return new ObserveError('unreachable', `Redis at ${host} does not answer: ${code ?? message}.`, { cause });
}
