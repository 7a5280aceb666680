/** What must hold in every state and at every step, in words. The keys are stable: variants say which one they break. */
export const INVARIANTS = {
  order: 'a row is the fold of its set of events, in any order and with repeats',
  repeat: 'a fact that arrives again is appended once',
  numbers: 'a number of the job is given to one decision',
  grants: 'an attempt is granted once',
  tokens: 'tokens rise with every grant, and never fall',
  redemption: 'a grant is redeemed by one claim',
  claimAgain: 'a claim that is repeated gets the same answer',
  oneSuccess: 'with claims, a success of one attempt is accepted and no other',
  lastEffect: 'with claims, the accepted success is the last effect at a sink that checks tokens',
  finished: 'nothing is recovered that is finished, and nothing leaves its end by itself',
  redrive: 'what is redriven runs again, and is not finished by what was before',
  retries: 'no more grants than retries',
  forGood: 'what has failed for good is not run again, also where a retry had been decided before',
  backoff: 'no attempt begins before the backoff of the last one has passed',
  liveLease: 'nothing is taken for lost under a live lease',
  unread: 'nothing is decided over a sign of before the deadline that is under way',
  commandTrue: 'no command goes out once it is no longer true',
  commandCommitted: 'no worker gets a command that no committed decision granted',
  invalidated: 'a grant is invalidated before its command is sent',
  checkpoint: 'the checkpoint leaves no command behind that is true and was not sent',
  stops: 'whoever is out when all is over has a stop on its way',
  schedule: 'what is neither finished nor left to an operator waits for an instant',
  exits: 'from every state the job can come to its end, or be left to an operator, without anybody’s help',
} as const;
export type Invariant = keyof typeof INVARIANTS;
export const INVARIANT_KEYS = Object.keys(INVARIANTS) as readonly Invariant[];

/** How often what an invariant is about was really there. One that was never put to the test says nothing. */
export type Exercised = Record<Invariant, number>;

export function notExercised(): Exercised {
  return Object.fromEntries(INVARIANT_KEYS.map((key) => [key, 0])) as Exercised;
}
