import { Option, type Command } from 'commander';
import type { ObserveBullmqFlags, ObservePgBossFlags } from '../commands/observe.js';
import { AFTER_OBSERVE, AFTER_OBSERVE_BULLMQ, AFTER_OBSERVE_PG_BOSS } from '../help-texts.js';
import { json, namespaced, repeated, serviceOptions, wholeFrom } from '../options.js';
import type { Ended } from '../program.js';
import type { Context } from '../terminal/terminal.js';

export function addObserve(program: Command, context: Context, ended: Ended): void {
  const observe = program
    .command('observe')
    .description('watch a queue that is there already, and tell a running service; nothing is written to the queue')
    .addHelpText('after', AFTER_OBSERVE);
  tapOptions(observe.command('bullmq').description('watch queues of BullMQ'))
    .option('--redis <url>', 'where its Redis is, such as redis://user:password@host:6379, rediss:// for TLS; or REDIS_URL')
    .option('--prefix <prefix>', 'of BullMQ’s keys', 'bull')
    .addHelpText('after', AFTER_OBSERVE_BULLMQ)
    .action(async (flags: ObserveBullmqFlags) => ended(await (await import('../commands/observe.js')).runObserveBullmq(flags, context)));
  tapOptions(observe.command('pg-boss').description('watch queues of pg-boss'))
    .option('--database <url>', 'its database, such as postgres://user:password@host/database; or DATABASE_URL')
    .option('--schema <schema>', 'of pg-boss’s tables', 'pgboss')
    .addHelpText('after', AFTER_OBSERVE_PG_BOSS)
    .action(async (flags: ObservePgBossFlags) => ended(await (await import('../commands/observe.js')).runObservePgBoss(flags, context)));
}

function tapOptions(command: Command): Command {
  return namespaced(serviceOptions(command))
    .addOption(new Option('--queue <queue>', 'only this queue; may be repeated').argParser(repeated).default([], 'all'))
    .option('--payload', 'send payloads too; left out, they stay where they are')
    .addOption(new Option('--history <n>', 'ended jobs of each queue that are taken in at the start').argParser(wholeFrom(0)).default(1_000))
    .option('--once', 'only take in what is there, and end')
    .option('--any-owner', 'do not wait until the policy says owner: queue')
    .addOption(json());
}
