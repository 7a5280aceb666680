import { api, read } from '../api/client';
import type { Action } from './ActionDialog';
import type { JobRef } from '../routes/paths';
import { visible } from '../text/format';
import { actions } from '../text/job-actions';
import { wordOf } from './word-of';

type Simple = 'cancel' | 'restart' | 'resolve' | 'discard';

const PATHS = {
  cancel: '/v1/jobs/one/cancel',
  restart: '/v1/jobs/one/restart',
  resolve: '/v1/jobs/one/resolve',
  discard: '/v1/jobs/one/discard',
} as const;

/** A call on one job that needs nothing but a reason. Its status is asked for `restart` alone. */
export function simpleAction(call: Simple, job: JobRef & { readonly status?: string }): Action<undefined, unknown> {
  const { id } = job;
  const words = actions[call];
  const again = call === 'restart' && job.status !== 'processing';
  return {
    label: words.label,
    dangerous: call === 'cancel' || call === 'discard',
    says: () => (again ? actions.restart.again(visible(id)) : words.says(visible(id))),
    reason: 'needed',
    refused: conflictWord,
    run: ({ reason }) => read(api.POST(PATHS[call], { params: { query: refOf(job) }, body: { reason, force: false } })),
  };
}

export const refOf = ({ namespace, queue, id }: JobRef): JobRef => ({ namespace, queue, id });

/** What a refusal means for whoever has just pressed the button; null: what the service says is all there is. */
export const conflictWord = ({ code }: { readonly code: string }): string | null => wordOf(actions.conflict, code);
