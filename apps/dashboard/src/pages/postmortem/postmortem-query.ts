import { queryOptions } from '@tanstack/react-query';
import { api, read } from '../../api/client';
import type { components } from '../../api/generated/schema';

export type Postmortem = components['schemas']['PostmortemView'];
export type Checklist = Postmortem['checklists'][number];
export type Item = Checklist['items'][number];

export const postmortemQuery = (id: string) =>
  queryOptions({
    queryKey: ['postmortem', id],
    // Said aloud: without it the answer goes by what the browser accepts.
    queryFn: async ({ signal }) => (await read(api.GET('/v1/incidents/{id}/postmortem', { params: { path: { id }, query: { format: 'json' } }, signal }))) as Postmortem,
    meta: { changes: [{ what: 'incident', id }] },
  });

export const markdownOf = (id: string) => read<Blob>(api.GET('/v1/incidents/{id}/postmortem', { params: { path: { id }, query: { format: 'markdown' } }, parseAs: 'blob' }));
