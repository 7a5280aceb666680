export interface IncidentSeen {
  readonly incidentId: string;
  readonly status: string;
}

export interface StepSeen {
  readonly type: string;
  readonly by: string;
  readonly reason: string;
}

const WORDS: Readonly<Record<string, string>> = {
  'opened': 'opened',
  'cause-assessed': 'its cause is assessed',
  'approval-requested': 'it waits for you: read it, and press Approve',
  'approved': 'approved',
  'isolated': 'the release is out of service',
  'rolled-back': 'the release before is rolled out',
  'replicas-restored': 'all workers are of the release before',
  'verified': 'work succeeds again',
  'readmitting': 'more is let in',
  'escalated': 'automation has stopped, and a person has to look',
  'aborted': 'stopped by hand',
  'resolved': 'it is over: read its postmortem, answer what is missing, and sign',
};

/** A step in words; null where it says too little for a terminal. */
export function incidentLine({ type, by, reason }: StepSeen): string | null {
  const words = WORDS[type];
  if (words === undefined) return null;
  return `${words}${by === 'jobwarden' ? '' : `, by ${by}`}${reason === '' ? '' : ` (${reason})`}`;
}
