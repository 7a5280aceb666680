import { iso, type ActionsSwitch } from '#libs/application';
import type { ActionsView } from '#libs/contracts';

export function actionsView({ enabled, reason, by, sinceMs = null, restored = null, observeUntilMs = null }: ActionsSwitch): ActionsView {
  return {
    ...{ enabled, reason, by },
    ...(sinceMs !== null && { since: iso(sinceMs) }),
    ...(restored !== null && { restored }),
    ...(observeUntilMs !== null && { observedUntil: iso(observeUntilMs) }),
  };
}
