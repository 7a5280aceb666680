import { api, read } from '../../api/client';
import type { Action } from '../../kit/ActionDialog';
import type { JobRef } from '../../routes/paths';
import { visible } from '../../text/format';
import { actions } from '../../text/job-actions';
import type { JobDetail } from './job-queries';

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

export const refOf = ({ namespace, queue, id }: JobRef): JobRef => ({ namespace, queue, id });
