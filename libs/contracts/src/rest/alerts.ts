import { Type, type Static } from 'typebox';
import { SETTLEMENTS, SIGNAL_SOURCES } from '#libs/domain';
import { count, instant, nullable, oneOf, whyKept } from '../schemas/field.js';
import { listOf } from './problem.js';

/** `POST /v1/alerts`, `GET /v1/signals`, `/v1/maintenance` */

export const AlertsCall = Type.Object(
  {
    version: Type.Literal('4'),
    truncatedAlerts: Type.Optional(count('Alerts that were left out of the payload.')),
    alerts: Type.Array(
      Type.Object(
        {
          status: oneOf(['firing', 'resolved'] as const),
          labels: Type.Record(Type.String(), Type.String(), {
            description: '`action: trigger-rollback` makes it a signal; `queue` names the queue, `jobwarden_namespace` its namespace.',
          }),
          annotations: Type.Optional(Type.Record(Type.String(), Type.String(), { description: '`ratio` and `unprocessed` are kept as figures.' })),
          startsAt: instant('When it began to fire.'),
          fingerprint: Type.Optional(Type.String({ description: 'Of its labels; left out: made of them.' })),
        },
        { description: 'An alert.' },
      ),
    ),
  },
  { description: 'What Alertmanager sends to a webhook. Other members are passed over.' },
);

export const ALERT_OUTCOMES = ['signal', 'repeated', 'resolved', 'refused', 'ignored'] as const;
export type AlertOutcome = (typeof ALERT_OUTCOMES)[number];

export const AlertResult = Type.Object(
  {
    fingerprint: Type.String(),
    outcome: oneOf(ALERT_OUTCOMES, { description: '`ignored`: it asks for nothing. `repeated`: it was known; whatever came of it stays.' }),
    signalId: Type.Optional(Type.String({ description: 'Under which it is kept; of all but those that are ignored.' })),
    reason: Type.Optional(oneOf(SETTLEMENTS, { description: 'Why it leads to nothing.' })),
    detail: Type.Optional(Type.String()),
  },
  { description: 'What became of one alert.' },
);

export const AlertsAnswer = Type.Object(
  { received: count('Alerts in the payload.'), results: Type.Array(AlertResult, { description: 'In the order of the alerts.' }) },
  { description: 'What became of the alerts.' },
);

export const SignalView = Type.Object(
  {
    id: Type.String(),
    source: oneOf(SIGNAL_SOURCES, { description: 'Who told it.' }),
    fingerprint: Type.String(),
    namespace: nullable(Type.String(), { description: 'null: it named no queue that is known.' }),
    queue: nullable(Type.String(), { description: 'null: it named none.' }),
    startsAt: nullable(Type.String({ format: 'date-time' }), { description: 'When it began, by the clock of whoever told it; null: nobody could read it.' }),
    seenAt: instant('When it was first told, by the lane’s clock.'),
    lastAt: instant('When it was last told.'),
    times: count('How often it was told.'),
    resolvedAt: nullable(Type.String({ format: 'date-time' }), { description: 'null: it goes on.' }),
    incidentId: nullable(Type.String(), { description: 'The incident that it belongs to.' }),
    settled: nullable(Type.String(), { description: `Why it leads to nothing: ${SETTLEMENTS.map((word) => `\`${word}\``).join(', ')}. null: it is open, or has an incident.` }),
    detail: nullable(Type.String(), { description: 'More about that.' }),
    figures: Type.Record(Type.String(), Type.Number(), { description: 'Such as `ratio` and `unprocessed`, as they were told last.' }),
  },
  { description: 'That a queue has gone critical, as somebody told it; or why that could not be acted on.' },
);

export const SignalList = listOf(SignalView, 'Signals, newest first.');

const scope = {
  namespace: Type.Optional(Type.String({ description: 'Only its queues.' })),
  queue: Type.Optional(Type.String({ description: 'Only this queue, of `namespace` or of `default`.' })),
  target: Type.Optional(Type.String({ description: 'Only queues whose policy names this `rollback.target`.' })),
};

export const MaintenanceCall = Type.Object(
  {
    ...scope,
    everywhere: Type.Optional(Type.Boolean({ description: 'Of the whole installation; needed where nothing else is named.' })),
    from: Type.Optional(instant('When it begins, by the lane’s clock; left out: now.')),
    for: Type.String({ description: 'How long it lasts, such as `2h`; 7 days at most.' }),
    reason: whyKept('Why; kept with it.'),
  },
  { description: 'When, and of what, signals are to lead to nothing.' },
);

export const MaintenanceView = Type.Object(
  {
    id: Type.String(),
    namespace: nullable(Type.String(), { description: 'null: all.' }),
    queue: nullable(Type.String(), { description: 'null: all.' }),
    target: nullable(Type.String(), { description: 'null: whatever it is.' }),
    from: instant('When it begins.'),
    until: instant('When it ends.'),
    endedAt: nullable(Type.String({ format: 'date-time' }), { description: 'When it was ended before its time; null: it was not.' }),
    endedBy: nullable(Type.String()),
    reason: Type.String(),
    by: Type.String(),
  },
  { description: 'A time in which signals lead to nothing. They are kept, settled by `maintenance`.' },
);

export const MaintenanceList = listOf(MaintenanceView, 'Maintenance windows, newest first.');

export type AlertsAnswer = Static<typeof AlertsAnswer>;
export type AlertResult = Static<typeof AlertResult>;
export type SignalView = Static<typeof SignalView>;
export type SignalList = Static<typeof SignalList>;
export type MaintenanceCall = Static<typeof MaintenanceCall>;
export type MaintenanceView = Static<typeof MaintenanceView>;
export type MaintenanceList = Static<typeof MaintenanceList>;
