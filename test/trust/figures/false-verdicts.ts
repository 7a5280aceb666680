import { setTimeout as delay } from 'node:timers/promises';
import type { Trust, TrustFigure, TrustResult } from '../figure.js';
import { Fleet, FLEET_POLICY, type Times } from '../stage/fleet.js';
import { TrustStage, withoutBroker } from '../stage/stage.js';

interface Phase {
  readonly name: string;
  readonly trouble: (fleet: Fleet, times: Times) => Promise<void>;
}

const PHASES: readonly Phase[] = [
  {
    name: 'the broker hangs (SIGSTOP)',
    trouble: async ({ stage: { broker } }, { outageMs }) => {
      broker.pause(1);
      await delay(outageMs).finally(() => {
        broker.resume(1);
      });
    },
  },
  {
    name: 'the broker is stopped, and started again',
    trouble: async ({ stage: { broker } }, { outageMs }) => {
      await broker.kill(1, 'SIGTERM');
      await delay(outageMs);
      await broker.start(1);
    },
  },
  {
    name: 'the database hangs (SIGSTOP)',
    trouble: async ({ stage: { database } }, { outageMs }) => {
      database.pause();
      await delay(outageMs).finally(() => {
        database.resume();
      });
    },
  },
  {
    name: 'the database is stopped, and started again',
    trouble: async ({ stage: { database } }, { outageMs }) => {
      await database.stop();
      await delay(outageMs);
      await database.startAgain();
    },
  },
  {
    name: 'one of two replicas is paused past its leases',
    trouble: async ({ stage: { replicas } }, { outageMs }) => {
      replicas[0]?.pause();
      await delay(outageMs).finally(() => replicas[0]?.resume());
    },
  },
  {
    name: 'all replicas are paused past their leases',
    trouble: async ({ stage: { replicas } }, { outageMs }) => {
      for (const replica of replicas) replica.pause();
      await delay(outageMs);
      for (const replica of replicas) replica.resume();
    },
  },
  {
    name: 'replicas join and leave, again and again',
    trouble: async ({ stage }, { joins }) => {
      for (let join = 0; join < joins; join += 1) {
        const joined = await stage.startReplica();
        // Every other one leaves without a word.
        if (join % 2 === 0) await stage.leave(joined);
        else await stage.leave(joined, 'killed');
      }
    },
  },
  {
    name: 'workers and replicas whose clocks are off by five minutes, either way',
    trouble: async (fleet, { outageMs }) => {
      const { stage } = fleet;
      const off = [await stage.startReplica({ clockShiftMs: OFF_MS }), await stage.startReplica({ clockShiftMs: -OFF_MS })];
      const crews = await fleet.startOff(OFF_MS);
      await delay(outageMs);
      for (const crew of crews) await crew.finish();
      for (const replica of off) await stage.leave(replica);
    },
  },
];

const OFF_MS = 300_000;

/** Whatever is taken away from Jobwarden, nobody who lives is called lost or hung for it. */
export const falseVerdicts: TrustFigure = {
  name: 'false-verdicts',
  title: 'False verdicts: living jobs called lost or hung while broker, database, service and clocks are out of order',
  leftOut: withoutBroker,
  run: async (trust) => {
    const times = trust.real
      ? { leaseMs: 60_000, graceMs: 20_000, beatEveryMs: 15_000, outageMs: 140_000, joins: 20 }
      : { leaseMs: 3_000, graceMs: 1_000, beatEveryMs: 750, outageMs: 7_000, joins: 4 };
    const env = { JOBWARDEN_KAFKA_SESSION_TIMEOUT: trust.real ? '30s' : '3s' };
    const stage = await TrustStage.open({ policy: FLEET_POLICY(times), env });
    try {
      return await measure(trust, stage, times);
    } finally {
      await stage.close();
    }
  },
};

async function measure({ progress }: Trust, stage: TrustStage, times: Times): Promise<TrustResult> {
  await stage.startReplica();
  await stage.startReplica();
  await stage.untilRead();
  const fleet = new Fleet(stage, times);
  const told: { readonly name: string; readonly wrong: number; readonly found: number; readonly wanted: number }[] = [];
  try {
    await fleet.start();
    for (const [at, { name, trouble }] of PHASES.entries()) {
      progress(name);
      const wanted = await fleet.startSilent(at);
      await trouble(fleet, times);
      const found = await fleet.untilFound(at);
      const wrong = await fleet.newVerdicts();
      told.push({ name, wrong: wrong.length, found, wanted });
      for (const line of wrong.slice(0, 5)) progress(`WRONG: ${line}`);
    }
    const faults = await stage.faultsOfCommands();
    const commands = fleet.commandsForTheLiving();
    return result({ told, faults, commands, fleet, times });
  } finally {
    await fleet.stop();
  }
}

interface Found {
  readonly told: readonly { readonly name: string; readonly wrong: number; readonly found: number; readonly wanted: number }[];
  readonly faults: readonly string[];
  readonly commands: number;
  readonly fleet: Fleet;
  readonly times: Times;
}

function result({ told, faults, commands, fleet, times }: Found): TrustResult {
  const seconds = (ms: number): string => `${String(ms / 1_000)} s`;
  return {
    method: [
      `Two replicas; ${String(fleet.living)} jobs that beat every ${seconds(times.beatEveryMs)} all along, half of them over Kafka and half over HTTP, under leases of ${seconds(times.leaseMs)} and`,
      `a grace of ${seconds(times.graceMs)}, at level act. Each trouble lasts ${seconds(times.outageMs)}, joining and leaving ${String(times.joins)} times. Before it some jobs start whose workers are`,
      'never heard again: they have to be found afterwards, since a reconciler that decides nothing is never wrong. Any decision on a',
      'living job counts, also one that would be taken back. The blackout guard is off (minWorkers), or it would hide wrong verdicts.',
      'Clocks: CloudEvents’ time of workers, and Date in whole replicas; their jobs would be hung after four minutes (hardTimeout).',
    ],
    lines: [
      ...told.map(({ name, wrong, found, wanted }) => `${name}: ${String(wrong)} false, ${String(found)} of ${String(wanted)} dead ones found`),
      `the workers’ own beats were at most ${fleet.latestMs.toFixed(0)} ms late; ${String(fleet.rounds)} rounds of beats were acknowledged`,
      ...faults.slice(0, 5),
    ],
    counts: [
      ...told.map(({ name, wrong }) => ({ of: `verdicts on living jobs: ${name}`, found: wrong, wanted: { exactly: 0 } })),
      { of: 'commands for living jobs', found: commands, wanted: { exactly: 0 } },
      { of: 'dead workers’ jobs that were found', found: sum(told.map((t) => t.found)), wanted: { exactly: sum(told.map((t) => t.wanted)) } },
      { of: 'commands that came twice, or are said to be sent and did not come', found: faults.length, wanted: { exactly: 0 } },
      { of: 'answers that nobody expects', found: fleet.complaints.length, wanted: { exactly: 0 } },
    ],
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
