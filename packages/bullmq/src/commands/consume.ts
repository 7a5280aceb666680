import { setTimeout as delay } from 'node:timers/promises';
import { commandConsumer, readCommands, requeuedCommands, tellCompleted, type Client, type CommandConsumer, type Consumption, type EnqueueCommand, type JobFact, type Logger, type StopCommand } from '@jobwarden/client';
import type { Queue } from 'bullmq';
import type { Owner } from '../owners/conflict.js';
import { grantedJobId, parseRunId } from '../run-id.js';
import { Abandoned, type Settled } from './abandoned.js';
import { addAgain } from './add-again.js';
import { stop, type Stopped } from './stop.js';
import { putBack, type NativeJob, type PutBack } from './put-back.js';
import { redisPositions } from './redis-positions.js';

export interface ConsumerOptions {
  /** Called with what became of each command; for logs and metrics of one's own. */
  readonly onCommand?: (command: EnqueueCommand | StopCommand, outcome: PutBack | Stopped) => void;
  /**
   * How often jobs are looked for that a worker has died with before Jobwarden knew of their start, or after it knew of their
   * end, ms; dealt with at the second look. Only where Jobwarden owns the queue. Default 30,000.
   */
  readonly lookEveryMs?: number;
}

export interface Consuming extends ConsumerOptions {
  readonly client: Client;
  readonly owner: Owner;
  readonly logger: Logger;
  readonly tell: (fact: JobFact) => void;
  /** Rejects where two would recover the queue. */
  readonly check: (queue: Queue) => Promise<void>;
}

/**
 * Enqueue commands of Jobwarden become jobs of this queue, stop commands end those that wait. Any number of consumers may
 * read at once: what one has done is a copy for the others. Its stats count what became of jobs that nobody held, too (`abandoned:…`).
 */
export function consumeCommands(queue: Queue, consuming: Consuming): CommandConsumer {
  const { client, check, logger, onCommand } = consuming;
  const positions = redisPositions(queue);
  const enqueue = async (command: EnqueueCommand, { note }: Reading): Promise<void> => note(command, await take(queue, command, consuming));
  const lookAtRequeued = async (reading: Reading): Promise<void> => {
    for (const command of await requeuedCommands(client, queue.name)) await enqueue(command, reading);
  };
  return commandConsumer({
    ...{ onCommand },
    begin: async (reading) => {
      await check(queue);
      // Whatever was decided before anybody read.
      if ((await positions.load()) === null) await lookAtRequeued(reading).catch((error: unknown) => logger.warn(String(error)));
    },
    work: async (reading) => {
      const { signal, note, count } = reading;
      const commands = readCommands({
        ...{ client, positions, logger, signal, queues: [queue.name] },
        onEnqueue: (command) => enqueue(command, reading),
        onReset: () => lookAtRequeued(reading),
        onStop: async (command) => note(command, await untilEnded(queue, command, consuming, signal)),
      });
      await Promise.all([commands, lookForAbandoned(queue, consuming, signal, (what) => count(`abandoned:${what}`))]);
    },
  });
}

type Reading = Consumption<EnqueueCommand | StopCommand, PutBack | Stopped>;

async function lookForAbandoned(queue: Queue, consuming: Consuming, signal: AbortSignal, note: (what: Settled) => void): Promise<void> {
  const { client, owner, logger, lookEveryMs = 30_000 } = consuming;
  if (owner !== 'jobwarden') return;
  const abandoned = new Abandoned(queue, client);
  for (;;) {
    try {
      for (const [id, what] of await abandoned.look()) {
        note(what);
        logger.info(`job ${id} of ${queue.name} was left active by a worker that died: ${what}`);
      }
    } catch (error) {
      if (!signal.aborted) logger.warn(`jobs that nobody holds were not looked for: ${String(error)}`);
    }
    try {
      await delay(lookEveryMs, undefined, { signal, ref: false });
    } catch {
      return;
    }
  }
}

/** Who lives ends the job itself; who has died in the meantime does not, and is looked at once its lock is gone. */
async function untilEnded(queue: Queue, command: StopCommand, { client, owner, logger }: Consuming, signal: AbortSignal): Promise<Stopped> {
  const outcome = await stop(queue, command, client, owner);
  const again = async (): Promise<void> => {
    for (let look = 0; look < LOOKS; look += 1) {
      await delay(LOOK_EVERY_MS, undefined, { signal, ref: false });
      if ((await stop(queue, command, client, owner)) !== 'running') return;
    }
  };
  if (outcome === 'running') {
    again().catch((error: unknown) => {
      if (!signal.aborted) logger.warn(`the end of job ${command.subject} was not seen: ${String(error)}`);
    });
  }
  return outcome;
}

const LOOK_EVERY_MS = 5_000;
const LOOKS = 60;

async function take(queue: Queue, command: EnqueueCommand, consuming: Consuming): Promise<PutBack> {
  const { logger, owner } = consuming;
  for (const native of nativeJobs(command)) {
    const outcome = await putBack(queue, native, command, owner);
    if (outcome === 'completed') await tellCompleted(command, { ...consuming, by: 'bullmq' });
    if (outcome !== null) return outcome;
  }
  const outcome = await addAgain(queue, command);
  if (outcome === 'no-payload') logger.warn(`job ${command.subject} of ${queue.name} is gone from BullMQ, and Jobwarden has no payload to add it again`);
  return outcome;
}

/** Where the run may be: its own job, or one that an earlier command added, newest first. */
export function nativeJobs({ subject, data }: EnqueueCommand): readonly NativeJob[] {
  const own = parseRunId(subject);
  const added = Array.from({ length: Math.min(MOST_LOOKED_AT, data.attempt - 2) }, (_, i): NativeJob => {
    const attempt = data.attempt - 1 - i;
    return { id: grantedJobId({ jobId: subject, attempt, token: data.token - 1 - i }), createdMs: null };
  });
  return own === null ? added : [{ id: own.nativeId, createdMs: own.createdMs }, ...added];
}

/** Each is a look-up; there are more only after that many retries. */
const MOST_LOOKED_AT = 20;
