import { api, read } from '../../api/client';
import type { Action } from '../../kit/ActionDialog';
import type { JobRef } from '../../routes/paths';
import { visible } from '../../text/format';
import { actions } from '../../text/job-actions';
import type { JobDetail } from './job-queries';

export type JobCall = 'restart' | 'cancel' | 'redrive' | 'resolve' | 'discard' | 'limits' | 'erase';

/** What the service would do where the job stands; what it would refuse is not offered. The likeliest first. */
export function callsOf({ status, erased }: Pick<JobDetail, 'status' | 'erased'>): readonly JobCall[] {
  const bodies: readonly JobCall[] = erased === undefined ? ['erase'] : [];
  const runnable = erased === undefined;
  switch (status) {
    case 'succeeded':
      return bodies;
    case 'dead-lettered':
      return [...(runnable ? (['redrive'] as const) : []), 'resolve', 'discard', ...bodies];
    case 'cancelled':
    case 'discarded':
      return [...(runnable ? (['redrive'] as const) : []), ...bodies];
    case 'processing':
    case 'queued':
    case 'requeued':
      return [...(runnable ? (['restart'] as const) : []), 'cancel', 'resolve', 'discard', 'limits', ...bodies];
    default:
      return ['cancel', 'resolve', 'discard', 'limits', ...bodies];
  }
}

type Simple = 'cancel' | 'restart' | 'resolve' | 'discard';

const PATHS = {
  cancel: '/v1/jobs/one/cancel',
  restart: '/v1/jobs/one/restart',
  resolve: '/v1/jobs/one/resolve',
  discard: '/v1/jobs/one/discard',
} as const;

export function simpleAction(call: Simple, job: JobDetail): Action<undefined, unknown> {
  const { namespace, queue, id } = job;
  const words = actions[call];
  const again = call === 'restart' && job.status !== 'processing';
  return {
    label: words.label,
    dangerous: call === 'cancel' || call === 'discard',
    says: () => (again ? actions.restart.again(visible(id)) : words.says(visible(id))),
    reason: 'needed',
    run: ({ reason }) => read(api.POST(PATHS[call], { params: { query: { namespace, queue, id } }, body: { reason, force: false } })),
  };
}

/** Of this job's page a link to where a payload is changed: the dead letter's. */
export const mayPatch = (job: JobDetail): boolean => job.status === 'dead-lettered' && job.erased === undefined && job.payload !== undefined;

export const refOf = ({ namespace, queue, id }: JobRef): JobRef => ({ namespace, queue, id });
