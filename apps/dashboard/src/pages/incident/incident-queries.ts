import { queryOptions } from '@tanstack/react-query';
import { api, read } from '../../api/client';
import type { components } from '../../api/generated/schema';

export type Incident = components['schemas']['IncidentDetail'];
export type Step = components['schemas']['IncidentStepView'];
export type Run = components['schemas']['RunView'];
export type Evidence = components['schemas']['EvidenceView'];
export type Delivery = components['schemas']['IncidentDeliveryView'];
export type Gate = components['schemas']['CanaryGateView'];

/** A run is told of without its id where it is about several queues. */
const told = (id: string) => ({ changes: [{ what: 'incident', id }] }) as const;

export const incidentQuery = (id: string) =>
  queryOptions({
    queryKey: ['incident', id],
    queryFn: ({ signal }) => read(api.GET('/v1/incidents/{id}', { params: { path: { id } }, signal })),
    meta: told(id),
  });

export const evidenceQuery = (id: string) =>
  queryOptions({
    queryKey: ['incident-evidence', id],
    queryFn: async ({ signal }) => (await read(api.GET('/v1/evidence', { params: { query: { incident: id } }, signal }))).items,
    meta: told(id),
  });

export const deliveriesQuery = (id: string) =>
  queryOptions({
    queryKey: ['incident-deliveries', id],
    queryFn: async ({ signal }) => (await read(api.GET('/v1/incidents/{id}/deliveries', { params: { path: { id } }, signal }))).items,
    // That a webhook has answered is no step of the incident: asked for while one has not.
    refetchInterval: ({ state: { data } }) => (data?.some(({ state }) => state === 'waiting' || state === 'refused') === true ? 3_000 : false),
    meta: told(id),
  });

export const gateQuery = (target: string, incident: string) =>
  queryOptions({
    queryKey: ['canary-gate', target],
    queryFn: ({ signal }) => read(api.GET('/v1/gates/canary', { params: { query: { target, form: 'argo' } }, signal })),
    refetchInterval: 30_000,
    meta: told(incident),
  });
