import { api, read } from '../../api/client';
import { useMe } from '../../api/me';
import type { Action } from '../../kit/ActionDialog';
import { overview } from '../../text/overview';

const { actions: text } = overview;

/** Stops whatever goes out of every replica, or lets it go on. */
export const switchAction = (enabled: boolean): Action<undefined, unknown> => ({
  label: enabled ? text.start : text.stop,
  dangerous: !enabled,
  says: () => (enabled ? text.startSays : text.stopSays),
  reason: 'needed',
  run: ({ reason }) => read(api.PUT('/v1/actions', { body: { enabled, reason } })),
});

/** It is of the whole installation: whoever sees some namespaces only is refused. */
export function useSwitchBlocked(): string | null {
  return useMe().everywhere ? null : text.someNamespaces;
}
