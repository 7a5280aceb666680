import { Module, type DynamicModule, type Provider, type Type } from '@nestjs/common';
import type { Role } from '#libs/config';
import type { OpenApi } from './http/openapi.js';
import { EventsConsumer } from './kafka/events.consumer.js';
import { BlackoutController } from './rest/blackout.controller.js';
import { ChangesController } from './rest/changes.controller.js';
import { ClaimsController } from './rest/claims.controller.js';
import { ComparisonsController } from './rest/comparisons.controller.js';
import { BodiesController } from './rest/bodies.controller.js';
import { DeadLetterPatternsController } from './rest/dead-letter-patterns.controller.js';
import { DeadLettersController } from './rest/dead-letters.controller.js';
import { EraseController } from './rest/erase.controller.js';
import { PostmortemsController } from './rest/postmortems.controller.js';
import { OverviewController } from './rest/overview.controller.js';
import { PatchController } from './rest/patch.controller.js';
import { EvidenceController } from './rest/evidence.controller.js';
import { EventsController } from './rest/events.controller.js';
import { IncidentsController } from './rest/incidents.controller.js';
import { InstallationController } from './rest/installation.controller.js';
import { JobCallsController } from './rest/job-calls.controller.js';
import { JobController } from './rest/job.controller.js';
import { JobsController } from './rest/jobs.controller.js';
import { LanesController } from './rest/lanes.controller.js';
import { OutgoingController } from './rest/outgoing.controller.js';
import { QuarantineController } from './rest/quarantine.controller.js';
import { QueueGatesController } from './rest/queue-gates.controller.js';
import { QueueController } from './rest/queue.controller.js';
import { QueuesController } from './rest/queues.controller.js';
import { ReconciliationsController } from './rest/reconciliations.controller.js';
import { RedrivesController } from './rest/redrives.controller.js';
import { CanaryGateController } from './rest/canary-gate.controller.js';
import { FlaggerController } from './rest/flagger.controller.js';
import { RevisionsController } from './rest/revisions.controller.js';
import { AlertsController } from './rest/alerts.controller.js';
import { MaintenanceController } from './rest/maintenance.controller.js';
import { MeController } from './rest/me.controller.js';
import { JobNoticesController } from './rest/job-notices.controller.js';
import { IncidentDeliveriesController } from './rest/incident-deliveries.controller.js';
import { RunsController } from './rest/runs.controller.js';
import { ServiceController } from './rest/service.controller.js';
import { ShadowReportController } from './rest/shadow-report.controller.js';
import { StreamsController } from './rest/streams.controller.js';
import { VerdictsController } from './rest/verdicts.controller.js';
import { TracesController } from './rest/traces.controller.js';
import { WorkersController } from './rest/workers.controller.js';
import type { Services } from './services.js';
import * as tokens from './tokens.js';

/** Of the role `api`. */
const API: readonly Type[] = [
  EventsController,
  JobsController,
  JobController,
  BodiesController,
  EraseController,
  PatchController,
  JobCallsController,
  ClaimsController,
  QueueController,
  QueuesController,
  QueueGatesController,
  BlackoutController,
  WorkersController,
  TracesController,
  RevisionsController,
  CanaryGateController,
  FlaggerController,
  EvidenceController,
  LanesController,
  ReconciliationsController,
  VerdictsController,
  ShadowReportController,
  ComparisonsController,
  DeadLettersController,
  DeadLetterPatternsController,
  RedrivesController,
  QuarantineController,
  OutgoingController,
  ChangesController,
  StreamsController,
  IncidentsController,
  RunsController,
  IncidentDeliveriesController,
  JobNoticesController,
  PostmortemsController,
  AlertsController,
  MaintenanceController,
  InstallationController,
  MeController,
  OverviewController,
];

@Module({})
export class AppModule {
  static of(services: Services, roles: readonly Role[], openApi: OpenApi): DynamicModule {
    return {
      module: AppModule,
      controllers: [
        ServiceController,
        ...(roles.includes('api') ? API : []),
        ...(services.eventIntake === null ? [] : [EventsConsumer]),
      ],
      providers: providersOf(services, openApi),
    };
  }
}

function providersOf(services: Services, openApi: OpenApi): Provider[] {
  const values: readonly (readonly [symbol, unknown])[] = [
    [tokens.LOG, services.log],
    [tokens.LIFECYCLE, services.lifecycle],
    [tokens.POLICIES, services.policies],
    [tokens.METRICS, services.metrics],
    [tokens.COLLECT, services.collect],
    [tokens.DATABASE_IS_THERE, services.databaseIsThere],
    [tokens.LEFT_BEHIND, services.leftBehind],
    [tokens.READS, services.reads],
    [tokens.INTAKE, services.intake],
    [tokens.CLAIMS, services.claims],
    [tokens.EVIDENCE, services.evidence],
    [tokens.REVISIONS, services.revisions],
    [tokens.CANARY_GATE, services.canaryGate],
    [tokens.OPERATE, services.operate],
    [tokens.RUNS, services.runs],
    [tokens.INCIDENT_DELIVERIES, services.incidentDeliveries],
    [tokens.JOB_NOTICES, services.jobNotices],
    [tokens.RECONCILING, services.reconciling],
    [tokens.SIGNALS, services.signals],
    [tokens.POSTMORTEMS, services.postmortems],
    [tokens.STREAMS, services.streams],
    [tokens.OVERVIEW, services.overview],
    [tokens.CHANGES, services.changes],
    [tokens.AUTHENTICATOR, services.authenticator],
    [tokens.PUBLISHING, services.publishing],
    [tokens.CLOCK, services.clock],
    [tokens.LANE_CALLS, services.laneCalls],
    [tokens.EVENT_INTAKE, services.eventIntake],
    [tokens.OPENAPI, openApi],
  ];
  return values.map(([provide, useValue]) => ({ provide, useValue }));
}
