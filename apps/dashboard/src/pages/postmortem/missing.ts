import { postmortem as text } from '../../text/postmortem';
import type { Postmortem } from './postmortem-query';

/** What keeps it from being signed, as the questions ask it. */
export function missingIn({ missing, checklists }: Pick<Postmortem, 'missing' | 'checklists'>): readonly string[] {
  const asks = new Map(checklists.flatMap(({ items }) => items.map(({ item, asks: question }) => [item, question] as const)));
  return missing.map((name) => (name === 'resolved' ? text.missingResolved : (asks.get(name) ?? name)));
}
