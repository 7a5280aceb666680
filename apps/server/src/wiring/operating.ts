import { ErasePayload, ManualClock, OperateJob, QuarantineCalls, StopSwitch, type LanesRead, type LogStore, type ReadModels, type ReplayEvents } from '#libs/application';
import type { Environment } from '#libs/config';
import { PgClockStore, PgErasureReads, PgQuarantineDesk, PgSwitchStore, type Database } from '#libs/postgres';
import type { Operate, Policies } from '../services.js';
import { buildPatching } from './patching.js';

export interface OperatingParts {
  readonly writes: Database;
  readonly log: LogStore;
  readonly policies: Pick<Policies, 'source' | 'context'>;
  readonly reads: Pick<ReadModels, 'jobs'>;
  readonly replay: ReplayEvents;
  readonly environment: Environment;
  readonly lanesRead: LanesRead | null;
  /** Somebody waits for the reconciler. */
  readonly attended: () => void;
}

export interface BuiltOperating extends Pick<Operate, 'erase' | 'patch' | 'actions' | 'clock' | 'quarantine'> {
  readonly jobs: OperateJob;
}

/** What operators call for that stands on the log, and on nothing that goes on by itself. */
export function buildOperating({ writes, log, policies, reads, replay, environment, lanesRead, attended }: OperatingParts): BuiltOperating {
  const manualClock = new ManualClock(new PgClockStore(writes), lanesRead);
  return {
    jobs: new OperateJob(log, policies.source, reads.jobs),
    erase: new ErasePayload(log, policies.source, new PgErasureReads(writes), reads.jobs),
    patch: buildPatching({ log, policies: policies.source, reads: reads.jobs, context: policies.context }, environment),
    actions: new StopSwitch(new PgSwitchStore(writes)),
    clock: {
      set: (nowMs, options) => {
        attended();
        return manualClock.set(nowMs, options);
      },
    },
    quarantine: new QuarantineCalls(new PgQuarantineDesk(writes), replay),
  };
}
