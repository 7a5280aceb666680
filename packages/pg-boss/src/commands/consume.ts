import { commandConsumer, memoryPositions, readCommands, requeuedCommands, type CommandConsumer, type Consumption, type EnqueueCommand, type PositionStore, type StopCommand } from '@jobwarden/client';
import { putBack } from './put-back.js';
import type { PutBack, PuttingBack } from './putting-back.js';
import { stop, type Stopped } from './stop.js';

export interface ConsumerOptions {
  /**
   * How far the commands have been read. Default: in memory; whatever Jobwarden wants run, and nobody has begun, is asked for at
   * each start. A store spares that question.
   */
  readonly positions?: PositionStore;
  /** Called with what became of each command; for logs and metrics of one's own. */
  readonly onCommand?: (command: EnqueueCommand | StopCommand, outcome: PutBack | Stopped) => void;
}

export interface Consuming extends ConsumerOptions, PuttingBack {
  /** Rejects where two would recover the queue. */
  readonly check: (queue: string) => Promise<void>;
}

/**
 * Enqueue commands of Jobwarden become jobs of this queue, stop commands cancel those that wait. Any number of consumers may
 * read at once: what one has done is a copy for the others.
 */
export function consumeCommands(queue: string, consuming: Consuming): CommandConsumer {
  const { client, check, logger, onCommand } = consuming;
  return commandConsumer({
    ...{ onCommand },
    begin: () => check(queue),
    work: async ({ signal, note }: Reading) => {
      const onEnqueue = async (command: EnqueueCommand): Promise<void> => note(command, await putBack(queue, command, consuming));
      const onReset = async (): Promise<void> => {
        for (const command of await requeuedCommands(client, queue)) await onEnqueue(command);
      };
      const positions = lookingBack(consuming.positions ?? memoryPositions(), onReset);
      await readCommands({
        ...{ client, positions, logger, signal, onEnqueue, onReset, queues: [queue] },
        onStop: async (command) => note(command, await stop(queue, command, consuming.boss, client)),
      });
    },
  });
}

type Reading = Consumption<EnqueueCommand | StopCommand, PutBack | Stopped>;

/**
 * Where no position is kept, what was decided before is looked at once the stream stands, which is when its first position is
 * to be saved: so nothing falls between. Until that has worked none is kept, and it is tried again with the next.
 */
function lookingBack(kept: PositionStore, look: () => Promise<void>): PositionStore {
  let begun = false;
  return {
    load: async () => {
      const position = await kept.load();
      begun ||= position !== null;
      return position;
    },
    save: async (position) => {
      if (!begun) await look();
      begun = true;
      await kept.save(position);
    },
  };
}
