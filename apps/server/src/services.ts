import type {
  ApproveVerdicts,
  Blackouts,
  CanaryGate,
  Changes,
  ClaimJob,
  Compare,
  DeadLetterDesk,
  DueStore,
  ErasePayload,
  EvidenceDesk,
  EvidenceStore,
  FeedReceiver,
  FlaggerHooks,
  GateStore,
  IncidentDeliveries,
  JobNotices,
  Incidents,
  Ingest,
  LaneCalls,
  LaneClock,
  LaneIncidents,
  LastAnswers,
  LevelOverrides,
  MaintenanceStore,
  ManualClock,
  OperateJob,
  OverrideGate,
  OverviewReads,
  PatchPayload,
  Postmortems,
  PostmortemStore,
  PolicySource,
  PublishingReport,
  QuarantineCalls,
  QuarantineStore,
  ReadModels,
  Reconciler,
  RedriveMany,
  RedriveOutlook,
  RedriveStore,
  RunCalls,
  RunTimeBaseline,
  RunStore,
  RefusedRevisionStore,
  RevisionCalls,
  RevisionQuarantine,
  RevisionReads,
  RevisionRecord,
  SignalReads,
  StopSwitch,
  Streams,
  TakeAlerts,
  WrongActs,
} from '#libs/application';
import type { LevelOverride, QueueGate, QueueGates } from '#libs/application';
import type { PolicyFile } from '#libs/config';
import type { Limits, ParseContext, Redactor } from '#libs/contracts';
import type { Metrics } from '#libs/observability';
import type { Logger } from 'pino';
import type { Authenticator } from './auth/authenticator.js';
import type { Lifecycle } from './boot/lifecycle.js';
import type { ApprovalLinks } from './http/approval-link.js';

/** What the routes stand on, made in the order of the start and handed to the module as one. */
export interface Services {
  readonly log: Logger;
  readonly lifecycle: Lifecycle;
  readonly authenticator: Authenticator;
  readonly policies: Policies;
  readonly metrics: Metrics;
  /** Brings what is read at scrape time up to date. */
  readonly collect: () => Promise<void>;
  /** Answers whether the database can be reached. */
  readonly databaseIsThere: () => Promise<boolean>;
  /** Why this program can do nothing on the database any more: the fold version in force is none of its own. */
  readonly leftBehind: () => string | null;
  readonly reads: ReadModels;
  readonly intake: Intake;
  readonly claims: Pick<ClaimJob, 'claim'>;
  readonly revisions: Revisions;
  readonly canaryGate: CanaryGateCalls;
  readonly evidence: Evidence;
  readonly operate: Operate;
  readonly runs: Runs;
  readonly incidentDeliveries: Pick<IncidentDeliveries, 'of'>;
  readonly jobNotices: Pick<JobNotices, 'of'>;
  readonly reconciling: Reconciling;
  readonly signals: SignalCalls;
  readonly postmortems: PostmortemCalls;
  readonly streams: Streams;
  readonly overview: OverviewParts;
  readonly changes: Pick<Changes, 'subscribe'>;
  readonly publishing: PublishingReport;
  readonly clock: HttpLane;
  readonly laneCalls: Pick<LaneCalls, 'seek' | 'retire' | 'unretire'>;
  /** Where batches from Kafka go; null where none are read. */
  readonly eventIntake: Pick<FeedReceiver, 'batch'> | null;
}

/** The policy in force; asked anew each time, since the file may have been read again. */
export interface Policies {
  readonly file: () => PolicyFile;
  readonly limits: () => Limits;
  readonly redactor: () => Redactor;
  /** What requests over HTTP are read by. */
  readonly context: () => ParseContext;
  /** With the operators' levels over the file's. */
  readonly source: PolicySource;
  /** Of the queue, by name: those that the file names, and those that have a history. */
  readonly kinds: (queue: { readonly namespace: string; readonly queue: string }) => readonly string[];
  readonly overrides: (queue: { readonly namespace: string; readonly queue: string }) => readonly LevelOverride[];
  /** What operators let through of a queue; null: nobody has ever changed it. */
  readonly gate: (queue: { readonly namespace: string; readonly queue: string }) => QueueGate | null;
}

export interface OverviewParts {
  readonly reads: OverviewReads;
  /** What is usual of each queue, as far as it is known. */
  readonly baselines: () => Iterable<RunTimeBaseline>;
  readonly gates: Pick<LastAnswers, 'of'>;
}

export interface Intake {
  readonly ingest: Pick<Ingest, 'ingest'>;
  readonly quarantine: Pick<QuarantineStore, 'put'>;
}

export interface Evidence {
  readonly desk: EvidenceDesk;
  readonly store: Pick<EvidenceStore, 'ofIncident' | 'one' | 'bytes' | 'erase'>;
}

export interface Revisions {
  readonly quarantine: RevisionQuarantine;
  readonly store: Pick<RefusedRevisionStore, 'list'>;
  readonly reads: Pick<RevisionReads, 'seen'>;
  readonly records: (namespace: string, queue: string | null) => Promise<readonly RevisionRecord[]>;
  readonly calls: Pick<RevisionCalls, 'refuse' | 'readmit'>;
}

export interface CanaryGateCalls {
  readonly gate: Pick<CanaryGate, 'look'>;
  readonly answers: Pick<LastAnswers, 'of'>;
  readonly flagger: Pick<FlaggerHooks, 'answer'>;
  readonly override: Pick<OverrideGate, 'allow'>;
  readonly store: Pick<GateStore, 'overrides'>;
  /** Lane time, ms. */
  readonly nowMs: () => Promise<number>;
}

export interface Operate {
  readonly jobs: Pick<OperateJob, 'call'>;
  readonly erase: Pick<ErasePayload, 'erase'>;
  readonly patch: Pick<PatchPayload, 'patch'>;
  readonly levels: Pick<LevelOverrides, 'set'>;
  readonly gates: Pick<QueueGates, 'set'>;
  readonly actions: Pick<StopSwitch, 'read' | 'set'>;
  readonly clock: Pick<ManualClock, 'set'>;
  readonly quarantine: Pick<QuarantineCalls, 'replay' | 'dismiss'>;
  readonly incidents: Pick<Incidents, 'resolveById'>;
  readonly deadLetters: DeadLetterDesk;
  readonly redrives: Pick<RedriveMany, 'call'>;
  readonly redriveStore: Pick<RedriveStore, 'list' | 'one' | 'stop'>;
  readonly redriveOutlook: Pick<RedriveOutlook, 'look'>;
  readonly blackouts: Pick<Blackouts, 'release'>;
  readonly laneIncidents: Pick<LaneIncidents, 'changed'>;
  readonly verdicts: Pick<ApproveVerdicts, 'approve'>;
  readonly wrongActs: Pick<WrongActs, 'levelSet'>;
}

export interface SignalCalls {
  readonly alerts: Pick<TakeAlerts, 'take'>;
  readonly reads: SignalReads;
  readonly maintenance: MaintenanceStore;
  /** Lane time, ms. */
  readonly nowMs: () => Promise<number>;
}

/** What people say about saturated queues. */
export interface Runs {
  readonly calls: Pick<RunCalls, 'open' | 'approve' | 'abort'>;
  readonly store: Pick<RunStore, 'queues'>;
  readonly links: ApprovalLinks;
}

export interface PostmortemCalls {
  readonly postmortems: Postmortems;
  readonly store: Pick<PostmortemStore, 'followUp' | 'followUps' | 'finishFollowUp'>;
}

export interface Reconciling {
  readonly reconciler: Pick<Reconciler, 'runOnce'>;
  readonly due: Pick<DueStore, 'nextDue'>;
  readonly compare: Pick<Compare, 'run'>;
}

/** The HTTP lane: what has arrived and is not answered yet holds its watermark back. */
export interface HttpLane extends LaneClock {
  /** Called when a request with events arrives; call the answer once it has been answered. */
  enter(): () => void;
  readonly inFlightCount: number;
}
