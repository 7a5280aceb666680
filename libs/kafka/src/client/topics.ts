/** One way in, four out. */
export const TOPICS = ['events', 'commands', 'invalidations', 'dead-letters', 'incidents'] as const;
export type Topic = (typeof TOPICS)[number];

/** The topic's name in the cluster. */
export function topicName(prefix: string, topic: Topic): string {
  return `${prefix}${topic}`;
}

/** Every replica reads as a member of this group. Where it goes on is the database's to say, not the group's. */
export function groupName(prefix: string): string {
  return `${prefix}ingest`;
}
