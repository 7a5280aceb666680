import type { FollowUp, FollowUpKind, PostmortemFacts, PostmortemState } from '#libs/domain';
import type { QueueName } from './outcome-store.port.js';
import type { Page, PageOf } from './read-models.port.js';

/** What people have added to incidents. Nothing is overwritten: who said what, and when, stays. */
export interface PostmortemStore {
  state(incidentId: string): Promise<PostmortemState>;
  /** Refused (false): somebody has signed. */
  answer(incidentId: string, answer: { readonly item: string; readonly answer: string; readonly by: string }): Promise<boolean>;
  /** Once. Refused (false): it is signed already. */
  sign(incidentId: string, signature: { readonly by: string; readonly note: string | null }): Promise<boolean>;
  /** Also after it was signed: work goes on. */
  addFollowUp(followUp: NewFollowUp): Promise<FollowUp>;
  /** Idempotent: what is done stays as it was done. null: there is none. */
  finishFollowUp(id: string, done: { readonly by: string; readonly note: string | null }): Promise<FollowUp | null>;
  followUp(id: string): Promise<(FollowUp & { readonly namespace: string | null }) | null>;
  /** The oldest first. `done: false`: what is still to be done. */
  followUps(filter: { readonly namespaces: readonly string[] | 'all'; readonly incidentId?: string; readonly done?: boolean }, page: Page): Promise<PageOf<FollowUp>>;
  /** Incidents of the kind `saturation` of this target that nobody has signed, oldest first. Drills are none. */
  unsignedOf(target: string): Promise<readonly string[]>;
  /** The same of incidents that were told of one of these queues, or about it. */
  unsignedOfQueues(queues: readonly QueueName[]): Promise<readonly string[]>;
  /** Those of the incidents that whoever sees only these namespaces may know of: its own queue's, or all of its run's queues. In their order. */
  visibleOf(incidentIds: readonly string[], namespaces: readonly string[]): Promise<readonly string[]>;
}

export interface NewFollowUp {
  readonly incidentId: string;
  readonly namespace: string | null;
  readonly kind: FollowUpKind;
  readonly text: string;
  readonly owner: string | null;
  readonly by: string;
}

/** What the tables say of the time of an incident. */
export interface PostmortemReads {
  facts(incident: PostmortemFacts['incident']): Promise<PostmortemFacts>;
}
