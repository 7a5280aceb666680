import type { TSchema } from 'typebox';
import * as alerts from './alerts.js';
import * as canaryGate from './canary-gate.js';
import * as claims from './claims.js';
import * as comparison from './comparison.js';
import * as fixture from './dead-letter-fixture.js';
import * as deadLetters from './dead-letters.js';
import * as runs from './runs.js';
import * as incidents from './incidents.js';
import * as notices from './notices.js';
import * as postmortem from './postmortem.js';
import * as ingest from './ingest.js';
import * as jobs from './jobs.js';
import * as operator from './operator.js';
import * as patch from './patch.js';
import * as outgoing from './outgoing.js';
import * as problem from './problem.js';
import * as queues from './queues.js';
import * as evidence from './evidence.js';
import * as revisions from './revisions.js';
import * as reconciliations from './reconciliations.js';
import * as shadow from './shadow-report.js';
import * as workers from './workers.js';
import * as traces from './traces.js';
import * as me from './me.js';
import * as overview from './overview.js';
import * as changes from './changes.js';

/** Every body of the REST API, by the name of its type: the components of OpenAPI. */
export const REST_SCHEMAS: Readonly<Record<string, TSchema>> = {
  ProblemDetails: problem.ProblemDetails,
  IngestResult: ingest.IngestResult,
  IngestResponse: ingest.IngestResponse,
  ClaimCall: claims.ClaimCall,
  ClaimAnswer: claims.ClaimAnswer,
  JobSummary: jobs.JobSummary,
  JobList: jobs.JobList,
  JobDetail: jobs.JobDetail,
  AttemptView: jobs.AttemptView,
  DecisionView: jobs.DecisionView,
  AnomalyView: jobs.AnomalyView,
  ErasureView: jobs.ErasureView,
  TimelineEvent: jobs.TimelineEvent,
  Timeline: jobs.Timeline,
  QueueView: queues.QueueView,
  QueueList: queues.QueueList,
  LevelsCall: queues.LevelsCall,
  QueueCall: queues.QueueCall,
  RecoveryView: queues.RecoveryView,
  BlackoutReleased: queues.BlackoutReleased,
  ThrottleCall: queues.ThrottleCall,
  GateView: queues.GateView,
  WorkerView: workers.WorkerView,
  WorkerList: workers.WorkerList,
  IncompleteTrace: traces.IncompleteTrace,
  IncompleteTraces: traces.IncompleteTraces,
  LaneView: workers.LaneView,
  LaneList: workers.LaneList,
  LaneSeekCall: workers.LaneSeekCall,
  LaneRetireCall: workers.LaneRetireCall,
  ReconciliationRow: reconciliations.ReconciliationRow,
  ReconciliationRun: reconciliations.ReconciliationRun,
  ReconciliationList: reconciliations.ReconciliationList,
  ReconcileCall: reconciliations.ReconcileCall,
  TheirJob: comparison.TheirJob,
  ComparedJob: comparison.ComparedJob,
  BrokenListLine: comparison.BrokenListLine,
  ComparisonSummary: comparison.ComparisonSummary,
  BrokenComparison: comparison.BrokenComparison,
  Comparison: comparison.Comparison,
  ApproveCall: reconciliations.ApproveCall,
  ApproveAnswer: reconciliations.ApproveAnswer,
  VerdictView: reconciliations.VerdictView,
  VerdictList: reconciliations.VerdictList,
  ShadowReport: shadow.ShadowReport,
  ShadowReportRow: shadow.ShadowReportRow,
  DeadLetterView: deadLetters.DeadLetterView,
  DeadLetterList: deadLetters.DeadLetterList,
  DeadLetterFixture: fixture.DeadLetterFixture,
  QuarantineEntry: deadLetters.QuarantineEntry,
  QuarantineList: deadLetters.QuarantineList,
  QuarantineCall: deadLetters.QuarantineCall,
  InvalidationView: outgoing.InvalidationView,
  InvalidationList: outgoing.InvalidationList,
  ParkedView: outgoing.ParkedView,
  ParkedList: outgoing.ParkedList,
  PolicyView: outgoing.PolicyView,
  PolicyList: outgoing.PolicyList,
  IncidentView: incidents.IncidentView,
  ListedIncident: incidents.ListedIncident,
  IncidentStepView: incidents.IncidentStepView,
  IncidentDetail: incidents.IncidentDetail,
  IncidentList: incidents.IncidentList,
  IncidentCall: incidents.IncidentCall,
  StuckNoticeView: notices.StuckNoticeView,
  StuckNoticeList: notices.StuckNoticeList,
  IncidentDeliveryView: incidents.IncidentDeliveryView,
  IncidentDeliveryList: incidents.IncidentDeliveryList,
  RunView: runs.RunView,
  RunSummary: runs.RunSummary,
  RunQueueView: runs.RunQueueView,
  OpenIncidentCall: runs.OpenIncidentCall,
  ApproveRunCall: runs.ApproveRunCall,
  RunCall: runs.RunCall,
  ApprovalLink: runs.ApprovalLink,
  LinkApproved: runs.LinkApproved,
  PostmortemView: postmortem.PostmortemView,
  PostmortemAnswerCall: postmortem.PostmortemAnswerCall,
  PostmortemSignCall: postmortem.PostmortemSignCall,
  FollowUpCall: postmortem.FollowUpCall,
  FollowUpDoneCall: postmortem.FollowUpDoneCall,
  FollowUpView: postmortem.FollowUpView,
  FollowUpList: postmortem.FollowUpList,
  RevisionView: revisions.RevisionView,
  RevisionList: revisions.RevisionList,
  RefusalView: revisions.RefusalView,
  RefusalList: revisions.RefusalList,
  RefuseCall: revisions.RefuseCall,
  ReadmitCall: revisions.ReadmitCall,
  RefusalAnswer: revisions.RefusalAnswer,
  CanaryGateView: canaryGate.CanaryGateView,
  GateToldView: canaryGate.GateToldView,
  FlaggerCall: canaryGate.FlaggerCall,
  FlaggerAnswer: canaryGate.FlaggerAnswer,
  GateOverrideCall: canaryGate.GateOverrideCall,
  GateOverrideView: canaryGate.GateOverrideView,
  GateOverrideList: canaryGate.GateOverrideList,
  AlertsCall: alerts.AlertsCall,
  AlertsAnswer: alerts.AlertsAnswer,
  AlertResult: alerts.AlertResult,
  SignalView: alerts.SignalView,
  SignalList: alerts.SignalList,
  MaintenanceCall: alerts.MaintenanceCall,
  MaintenanceView: alerts.MaintenanceView,
  MaintenanceList: alerts.MaintenanceList,
  EvidenceCall: evidence.EvidenceCall,
  EvidenceView: evidence.EvidenceView,
  EvidenceList: evidence.EvidenceList,
  EvidenceKept: evidence.EvidenceKept,
  EvidenceDone: evidence.EvidenceDone,
  EvidenceEraseCall: evidence.EvidenceEraseCall,
  OperatorCall: operator.OperatorCall,
  OperatorAnswer: operator.OperatorAnswer,
  PatchCall: patch.PatchCall,
  PatchAnswer: patch.PatchAnswer,
  EraseCall: operator.EraseCall,
  EraseAnswer: operator.EraseAnswer,
  LimitsCall: operator.LimitsCall,
  ActionsCall: operator.ActionsCall,
  ActionsView: operator.ActionsView,
  ClockCall: operator.ClockCall,
  ClockView: operator.ClockView,
  Me: me.Me,
  Overview: overview.Overview,
  OverviewQueue: overview.OverviewQueue,
  ChangeNote: changes.ChangeNote,
};
