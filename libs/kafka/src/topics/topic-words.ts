// What is wrong with a topic, and the command that mends it.

export interface TopicFault {
  readonly topic: string;
  readonly code: 'not_created' | 'right_missing' | 'timestamp_type' | 'min_insync_replicas' | 'compacted';
  /** Without it mended, nothing goes through this topic, or what comes through it would be misread. */
  readonly serious: boolean;
  /** In words, with the command. */
  readonly message: string;
}

const TOOL = '--bootstrap-server BROKER';

/** Lane time is the broker's: with the senders' clocks in the records, no lease could be told from them. null: it is right. */
export function checkTimestampType(topic: string, type: string | undefined): TopicFault | null {
  if (type === 'LogAppendTime') return null;
  const message =
    `topic ${topic} has message.timestamp.type=${type ?? 'unknown'}, so its records carry their senders' clocks. ` +
    alter(topic, 'message.timestamp.type=LogAppendTime');
  return { topic, code: 'timestamp_type', serious: true, message };
}

/** Acknowledged by the leader alone, a message is lost with it. null: there is nothing to mend. */
export function checkInSync(topic: string, replicas: number, needed: number): TopicFault | null {
  if (replicas < 3 || needed >= 2) return null;
  const message =
    `topic ${topic} has ${String(replicas)} replicas, and one is enough to acknowledge a message: with that one it is lost. ` +
    alter(topic, 'min.insync.replicas=2');
  return { topic, code: 'min_insync_replicas', serious: false, message };
}

/** Messages of a job share a key, and all but the last would be thrown away. null: it is right. */
export function checkCleanup(topic: string, policy: string): TopicFault | null {
  if (!policy.includes('compact')) return null;
  const message =
    `topic ${topic} has cleanup.policy=${policy}, which keeps the last message of a job alone. ` +
    alter(topic, 'cleanup.policy=delete');
  return { topic, code: 'compacted', serious: true, message };
}

/** `user`: ours, where it is known by its name. */
export function rightMissing(topic: string, right: 'Create' | 'DescribeConfigs', user: string | null): TopicFault {
  const principal = `User:${user ?? 'NAME'}`;
  const instead = right === 'Create' ? `, or make the topic yourself: ${createCommand(topic)}` : '';
  const message =
    `the right ${right} on topic ${topic} is missing. ` +
    `Give it: kafka-acls ${TOOL} --add --allow-principal ${principal} --operation ${right} --topic ${topic}${instead}`;
  return { topic, code: 'right_missing', serious: right === 'Create', message };
}

export function notCreated(topic: string, why: string): TopicFault {
  const message = `topic ${topic} is missing and could not be made (${why}). Make it: ${createCommand(topic)}`;
  return { topic, code: 'not_created', serious: true, message };
}

/** There is no such topic, or none that we may see. */
export function noTopic(topic: string): string {
  return `there is no topic ${topic}. Make it: ${createCommand(topic)}`;
}

function createCommand(topic: string): string {
  const stamp = topic.endsWith('events') ? ' --config message.timestamp.type=LogAppendTime' : '';
  return `kafka-topics ${TOOL} --create --topic ${topic}${stamp}`;
}

function alter(topic: string, setting: string): string {
  return `Set it: kafka-configs ${TOOL} --alter --entity-type topics --entity-name ${topic} --add-config ${setting}`;
}
