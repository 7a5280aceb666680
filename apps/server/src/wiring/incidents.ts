import { Incidents, type IncidentStore } from '#libs/application';
import type { IncidentKind } from '#libs/domain';
import type { Metrics } from '#libs/observability';
import { PgIncidentStore, QueueIds, type Database } from '#libs/postgres';
import type { Logger } from 'pino';

export interface IncidentsParts {
  /** Not that of events: a burst of them must not keep an incident from being opened. */
  readonly database: Database;
  readonly metrics: Pick<Metrics, 'incidentsOpened' | 'incidentsResolved'>;
  readonly log: Logger;
  /** There is something to publish. */
  readonly stepped: () => void;
}

export interface BuiltIncidents {
  readonly incidents: Incidents;
  readonly store: IncidentStore;
}

export function buildIncidents({ database, metrics, log, stepped }: IncidentsParts): BuiltIncidents {
  const store = new PgIncidentStore(database, new QueueIds(database));
  const incidents = new Incidents(store, {
    opened({ id, kind, subject, queue, steps }) {
      const [first] = steps;
      const about = { incidentId: id, kind, about: subject, ...queue, evidence: first?.evidence };
      log.error(about, `incident: ${first?.reason ?? kind}`);
      metrics.incidentsOpened.add({ kind: kind as IncidentKind });
    },
    resolved({ kind }) {
      metrics.incidentsResolved.add({ kind: kind as IncidentKind });
    },
    stepped,
  });
  return { incidents, store };
}
