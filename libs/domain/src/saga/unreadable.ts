import type { IncidentStep } from '../incident/incident.js';

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === 'string';
const number: Check = (value) => typeof value === 'number';
const flag: Check = (value) => typeof value === 'boolean';
const perhaps = (check: Check): Check => (value) => value === undefined || check(value);

/** Made once: a fold asks it of every step. */
function object(members: Readonly<Record<string, Check>>): Check {
  const checks = Object.entries(members);
  return (value) => typeof value === 'object' && value !== null && checks.every(([name, check]) => check((value as Readonly<Record<string, unknown>>)[name]));
}

const snapshot = object({ target: text, replicas: number });
const readmit = object({ step: number, falls: number });

/** What the fold reads of each. */
const READ: Partial<Record<IncidentStep['type'], Check>> = {
  'cause-assessed': object({ cause: text, plan: object({ does: text, throttles: flag, needsApproval: flag }) }),
  'approval-requested': object({ deadlineMs: number }),
  'evidence-captured': object({ outcome: text }),
  'rollback-begun': object({ snapshot, release: object({ id: text }), deadlineMs: number }),
  'rolled-back': object({ written: perhaps(object({ generation: number, atMs: number })) }),
  readmitting: readmit,
  'readmission-fell-back': readmit,
  noted: object({
    ...{ intends: perhaps(text), deadlineMs: perhaps(number), snapshot: perhaps(snapshot), because: perhaps(object({ code: text, reason: text })) },
    fault: perhaps(object({ n: number, code: text, detail: text, atMs: number })),
    zeroLook: perhaps(object({ atMs: number, pods: number, wanted: number })),
  }),
};
const NOTHING = {};

/**
 * A step that does not say what its run goes by: of another program, or changed by hand. Nothing is read of it, and the run is a
 * person's: guessing what a step may have said is how a bad release comes back.
 */
export function isUnreadable({ type, evidence = NOTHING }: Pick<IncidentStep, 'type' | 'evidence'>): boolean {
  return READ[type]?.(evidence) === false;
}
