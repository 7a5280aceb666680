import { createHash } from 'node:crypto';
import type { Redis as Connection } from 'ioredis';

/** Everything that a Redis is told, by whomever, also from within scripts: MONITOR, on a connection of its own. */
export class RedisWatch {
  private readonly lines: (readonly string[])[] = [];
  private readonly writing = new Map<string, boolean>();

  private constructor(
    private readonly connection: Connection,
    private readonly monitor: Connection,
  ) {}

  static async begin(connection: Connection): Promise<RedisWatch> {
    const monitor = await connection.monitor();
    const watch = new RedisWatch(connection, monitor);
    monitor.on('monitor', (_time: string, args: readonly string[]) => watch.lines.push(args));
    return watch;
  }

  /**
   * What was written to a queue of BullMQ: each command with its key, ids left out, or the script by its hash. Comparable with
   * another queue's.
   */
  async writesTo(queue: string): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    for (const args of this.of(queue)) if (await this.writes(args[0] ?? '')) found.add(shapeOf(args, queue));
    return found;
  }

  /** How many of them have the word in a key, a field or a value. */
  async writesNaming(queue: string, word: string): Promise<number> {
    let found = 0;
    for (const args of this.of(queue)) if (args.some((arg) => arg.includes(word)) && (await this.writes(args[0] ?? ''))) found += 1;
    return found;
  }

  end(): void {
    this.monitor.disconnect();
  }

  private of(queue: string): (readonly string[])[] {
    return this.lines.filter((args) => args.some((arg) => arg.startsWith(`bull:${queue}:`)));
  }

  /** A script may: what it writes is seen besides. */
  private async writes(command: string): Promise<boolean> {
    const name = command.toLowerCase();
    const known = this.writing.get(name);
    if (known !== undefined) return known;
    const [info] = (await this.connection.call('COMMAND', 'INFO', name)) as [[string, number, string[]] | null];
    const writes = info === null || !info[2].includes('readonly');
    this.writing.set(name, writes);
    return writes;
  }
}

function shapeOf(args: readonly string[], queue: string): string {
  const [command = '', script = ''] = args;
  const name = command.toLowerCase();
  // Sent in full the first time, by its hash from then on.
  if (name === 'eval') return `script ${createHash('sha1').update(script).digest('hex')}`;
  if (name === 'evalsha') return `script ${script}`;
  const key = args.find((arg) => arg.startsWith(`bull:${queue}:`)) ?? '';
  return `${name} ${key.replace(`bull:${queue}:`, '').replace(/^\d+/u, '<id>')}`;
}
