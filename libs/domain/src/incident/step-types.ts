/** What each step of an incident says. Every incident has the first, and the last once it is over. */
const ALWAYS = {
  opened: 'Somebody has to look at it.',
  noted: 'There is more to know of it: what was seen, what is about to be done, what failed.',
} as const;

/** Of the run that an incident of saturation goes through, in the order in which they come where all goes well. */
const OF_A_RUN = {
  'cause-assessed': 'What it comes from, with the evidence for it.',
  'approval-requested': 'It waits for a person, who is shown the plan.',
  approved: 'A person lets it go on.',
  'would-have': 'What would be done, where the level or a dry run keeps it from being done.',
  'intake-throttled': 'The queues let in only a part of what is normal.',
  'evidence-captured': 'What a bad worker knew of itself is kept, or why it could not be had.',
  isolated: 'The bad revision is refused everywhere and holds no live lease; or the poison job is out of the way.',
  'rollback-begun': 'The target is about to be given the release that is named, with as many replicas as it had.',
  'rolled-back': 'The target has that release; or why this was passed over.',
  'replicas-restored': 'As many replicas are up as before; or why this was passed over.',
  verified: 'Nothing of the bad revision is left, and work succeeds again.',
  readmitting: 'The queues let in a share of what is normal.',
  'readmission-fell-back': 'Failures rose again: the share before is back.',
  escalated: 'Automation has stopped and a person has to go on; what is isolated stays isolated.',
  aborted: 'A person has stopped the run.',
} as const;

const SAYS = { ...ALWAYS, ...OF_A_RUN, resolved: 'It is over.' } as const;

export type IncidentStepType = keyof typeof SAYS;
export const INCIDENT_STEPS = Object.keys(SAYS) as readonly IncidentStepType[];

/** For documents: what a step of the type says, in one sentence. */
export function saidByStep(type: IncidentStepType): string {
  return SAYS[type];
}
