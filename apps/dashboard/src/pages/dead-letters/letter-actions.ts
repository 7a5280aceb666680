import { api, read } from '../../api/client';
import type { Action } from '../../kit/ActionDialog';
import { deadLetters } from '../../text/dead-letters';
import { visible } from '../../text/format';
import type { JobRef } from '../../routes/paths';
import { wordOf } from './words';

const { letter: text } = deadLetters;
const PATHS = { resolve: '/v1/jobs/one/resolve', discard: '/v1/jobs/one/discard' } as const;

/** Closed by hand: it leaves the dead letters without being run again. */
export function closing(call: keyof typeof PATHS, { namespace, queue, id }: JobRef): Action<undefined, unknown> {
  return {
    label: text[call],
    dangerous: call === 'discard',
    says: () => (call === 'discard' ? text.discardSays : text.resolveSays)(visible(id)),
    reason: 'needed',
    refused: ({ code }) => wordOf(text.conflict, code),
    run: ({ reason }) => read(api.POST(PATHS[call], { params: { query: { namespace, queue, id } }, body: { reason, force: false } })),
  };
}
