import {
  Audit,
  AuditRound,
  HOUSEKEEPING_AGES,
  Loop,
  RebuildSchedules,
  type Housekeeping,
  type LogStore,
  type PolicySource,
} from '#libs/application';
import { listPolicies, type PolicySource as PolicyFiles } from '#libs/config';
import type { Metrics } from '#libs/observability';
import { PgAuditStore, PgHousekeeping, type Database } from '#libs/postgres';
import type { Logger } from 'pino';

export interface BackgroundParts {
  readonly database: Database;
  readonly log: LogStore;
  readonly policies: PolicySource;
  readonly files: PolicyFiles;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly shards: number;
}

const AUDIT_EVERY_MS = 1_000;
const AUDIT_ROWS = 100;
const CLEAN_EVERY_MS = 600_000;

/** What goes on beside the work: rows compared with their folds, old things removed, schedules kept to the policy. */
export class Background {
  private readonly audit: Loop;
  private readonly cleaning: Loop;
  private readonly store: PgAuditStore;
  private rebuild: Promise<void> = Promise.resolve();
  private readonly ending = new AbortController();
  private leave: (() => void) | null = null;

  constructor(private readonly parts: BackgroundParts) {
    const { database, shards, logger } = parts;
    this.store = new PgAuditStore(database, shards);
    const round = new AuditRound(new Audit(this.store), { rowsPerTurn: AUDIT_ROWS, repair: true });
    const housekeeping = new PgHousekeeping(database);
    const failed = (what: string) => (error: unknown) => {
      logger.warn({ err: error }, `${what} failed, and is repeated`);
    };
    this.audit = new Loop(() => this.auditTurn(round), { idleMs: AUDIT_EVERY_MS, onError: failed('auditing') });
    this.cleaning = new Loop(() => this.clean(housekeeping), {
      idleMs: CLEAN_EVERY_MS,
      onError: failed('housekeeping'),
    });
  }

  start(): void {
    this.audit.start();
    this.cleaning.start();
    this.leave = this.parts.files.onChange(() => {
      this.rebuild = this.rebuild.then(() => this.reschedule());
    });
  }

  async stop(): Promise<void> {
    this.leave?.();
    this.ending.abort();
    await Promise.all([this.audit.stop(), this.cleaning.stop(), this.rebuild]);
  }

  private async auditTurn(round: AuditRound): Promise<boolean> {
    const { report } = await round.turn();
    this.parts.metrics.auditedRows.add({}, report.rows);
    if (report.refolded > 0) this.parts.metrics.refoldedRows.add({}, report.refolded);
    if (report.drifted > 0) {
      this.parts.metrics.projectionDrift.add({}, report.drifted);
      this.parts.logger.error(
        { findings: report.findings, repaired: report.repaired },
        'rows differed from the fold of their events',
      );
    }
    return false;
  }

  private async clean(housekeeping: Housekeeping): Promise<boolean> {
    const retentions = listPolicies(this.parts.files.current).map(({ resolved }) => resolved.policy.retentionMs);
    const { droppedPeriods } = await housekeeping.run({ ...HOUSEKEEPING_AGES, retentionMs: Math.max(...retentions) });
    if (droppedPeriods.length > 0)
      this.parts.logger.info({ droppedPeriods }, 'periods below the retention line were dropped');
    return false;
  }

  private async reschedule(): Promise<void> {
    const { log, policies, logger } = this.parts;
    try {
      const done = await new RebuildSchedules(this.store, log, policies).run({
        queues: 'all',
        signal: this.ending.signal,
      });
      logger.info(done, 'the policy changed: schedules were worked out again');
    } catch (error) {
      logger.error({ err: error }, 'schedules could not be worked out again after a change of the policy');
    }
  }
}
