import type { ActionsSwitch, SwitchStore } from '../ports/operate-store.port.js';

export type SwitchOutcome =
  | { readonly kind: 'set'; readonly actions: ActionsSwitch }
  | { readonly kind: 'refused'; readonly code: 'reason_required'; readonly detail: string };

/**
 * `PUT /v1/actions`: one switch that stops what goes out of every replica. Each reads it within a second, with its
 * look at the lanes and in every transaction; it survives restarts.
 */
export class StopSwitch {
  constructor(private readonly store: SwitchStore) {}

  async read(): Promise<ActionsSwitch> {
    return await this.store.read();
  }

  /** Idempotent; the last reason stays. */
  async set(wanted: ActionsSwitch): Promise<SwitchOutcome> {
    if (wanted.reason.trim() === '') return { kind: 'refused', code: 'reason_required', detail: 'say why: it is kept' };
    return { kind: 'set', actions: await this.store.set({ ...wanted, reason: wanted.reason.trim() }) };
  }
}
