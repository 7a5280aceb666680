import { POSTMORTEM_ITEMS, postmortemOf, type FollowUp, type FollowUpKind, type Postmortem } from '#libs/domain';
import type { StoredIncident } from '../ports/incident-store.port.js';
import type { PostmortemReads, PostmortemStore } from '../ports/postmortem-store.port.js';

export type PostmortemOutcome =
  | { readonly kind: 'done'; readonly postmortem: Postmortem }
  | { readonly kind: 'refused'; readonly code: 'item_unknown' | 'postmortem_signed' | 'postmortem_incomplete'; readonly postmortem: Postmortem };

/** The story of an incident, made anew from what is there whenever somebody asks, with what people have added. */
export class Postmortems {
  constructor(
    private readonly reads: PostmortemReads,
    private readonly store: PostmortemStore,
  ) {}

  async of(incident: StoredIncident): Promise<Postmortem> {
    const [facts, state] = await Promise.all([this.reads.facts(incident), this.store.state(incident.id)]);
    return postmortemOf(facts, state);
  }

  /** May be called again: the newest answer counts, those before stay. Refused once it is signed. */
  async answer(incident: StoredIncident, item: string, said: { readonly answer: string; readonly by: string }): Promise<PostmortemOutcome> {
    if (!POSTMORTEM_ITEMS.includes(item)) return { kind: 'refused', code: 'item_unknown', postmortem: await this.of(incident) };
    const taken = await this.store.answer(incident.id, { item, ...said });
    const postmortem = await this.of(incident);
    return taken ? { kind: 'done', postmortem } : { kind: 'refused', code: 'postmortem_signed', postmortem };
  }

  /** Somebody stands for all of it. Refused while an item is open or the incident is; of two at once one is refused. */
  async sign(incident: StoredIncident, { by, note }: { readonly by: string; readonly note: string | null }): Promise<PostmortemOutcome> {
    const before = await this.of(incident);
    if (before.signature !== null) return { kind: 'refused', code: 'postmortem_signed', postmortem: before };
    if (before.missing.length > 0) return { kind: 'refused', code: 'postmortem_incomplete', postmortem: before };
    const taken = await this.store.sign(incident.id, { by, note });
    const postmortem = await this.of(incident);
    return taken ? { kind: 'done', postmortem } : { kind: 'refused', code: 'postmortem_signed', postmortem };
  }

  async addFollowUp(
    incident: StoredIncident,
    added: { readonly kind: FollowUpKind; readonly text: string; readonly owner: string | null; readonly by: string },
  ): Promise<FollowUp> {
    return await this.store.addFollowUp({ incidentId: incident.id, namespace: incident.queue?.namespace ?? null, ...added });
  }
}
