import { api, read } from '../../api/client';
import { ActionButton } from '../../kit/ActionButton';
import type { Action } from '../../kit/ActionDialog';
import { visible } from '../../text/format';
import { postmortem as text } from '../../text/postmortem';
import { missingIn } from './missing';
import type { Postmortem } from './postmortem-query';

/** Once, when nothing is missing. */
export function SignButton({ postmortem }: { readonly postmortem: Postmortem }) {
  const { incidentId: id, signature } = postmortem;
  const missing = missingIn(postmortem).map(visible);
  const why = signature === null ? (missing.length === 0 ? null : text.signMissing(missing.join(' '))) : text.signAlready;
  const action: Action<undefined, unknown> = {
    label: text.sign,
    says: () => text.signSays,
    reason: 'optional',
    run: ({ reason }) => read(api.POST('/v1/incidents/{id}/postmortem/sign', { params: { path: { id } }, body: reason === '' ? {} : { note: reason } })),
  };
  // What is missing stands in the panel below: a hint would lie over it.
  return <ActionButton action={action} blocked={why} hint={false} variant={why === null ? 'filled' : 'default'} />;
}
