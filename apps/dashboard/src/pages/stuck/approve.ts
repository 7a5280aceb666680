import { api, read } from '../../api/client';
import type { components } from '../../api/generated/schema';
import type { Action } from '../../kit/ActionDialog';
import { verdictText, type Verdict } from '../../kit/verdict-words';
import { count, visible } from '../../text/format';
import { stuck } from '../../text/stuck';
import { approvable, type Where } from './stuck-queries';

const { now: text, run } = stuck;
type Approved = components['schemas']['ApproveAnswer'];
type Found = Awaited<ReturnType<typeof approvable>>;

/** All that stand, as many as were counted when it was asked; of what is said meanwhile nothing is meant. */
export function approveAll(where: Where, state: 'proposed' | 'shown'): Action<Found, Approved> {
  const { namespace, queue } = where;
  const at = queue === undefined ? '' : run.ofQueue(visible(queue));
  return {
    label: state === 'proposed' ? text.approveAll : text.approveShown,
    preview: (signal) => approvable(where, state, signal),
    says: (found) => {
      if (found === undefined || found.count === 0) return text.approveNone;
      return state === 'proposed' ? text.approveSays(count(found.count), at) : text.approveShownSays(count(found.count), at);
    },
    ready: (found) => found !== undefined && found.count > 0,
    reason: 'needed',
    run: ({ reason, preview }) =>
      read(
        api.POST('/v1/verdicts/approve', {
          params: { query: { namespace } },
          body: {
            reason,
            count: preview?.count ?? 0,
            filter: { state, ...(queue !== undefined && { queue }), ...(preview?.until != null && { until: preview.until }) },
          },
        }),
      ),
    done: ({ approved }) => text.approved(count(approved)),
  };
}

export const approveOne = (verdict: Verdict): Action<undefined, Approved> => ({
  label: text.approveOne,
  says: () => text.approveOneSays(visible(verdict.id), verdictText(verdict)),
  reason: 'needed',
  run: ({ reason }) => read(api.POST('/v1/verdicts/approve', { params: { query: { namespace: verdict.namespace } }, body: { ids: [verdict.verdictId], reason } })),
});
