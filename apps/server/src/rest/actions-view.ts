import { iso, type ActionsSwitch } from '#libs/application';
import type { ActionsView } from '#libs/contracts';

export function actionsView({ enabled, reason, by, restored = null, observeUntilMs = null }: ActionsSwitch): ActionsView {
  return {
    ...{ enabled, reason, by },
    ...(restored !== null && { restored }),
    ...(observeUntilMs !== null && { observedUntil: iso(observeUntilMs) }),
  };
}
