import { Compile } from 'typebox/compile';
import { DECISION_EVENTS, INCOMING_EVENTS } from '#libs/contracts';
import type { LoggedEvent } from './entry.js';

/** What is wrong with an event by the contract's own schemas; null: nothing. */
export function validatorOf(): (event: LoggedEvent) => string | null {
  const schemas = new Map<string, { Check(value: unknown): boolean }>();
  for (const [type, schema] of Object.entries(INCOMING_EVENTS)) schemas.set(type, Compile(schema));
  for (const [kind, schema] of Object.entries(DECISION_EVENTS)) {
    if (kind !== 'dead-lettered') schemas.set(`jobwarden.job.${kind}.v1`, Compile(schema));
  }
  const deadLetter = schemas.get('jobwarden.job.retry-scheduled.v1');
  return (event) => {
    // What goes out of a dead letter has more in it; in the log it is a decision like the others.
    const isDeadLetter = event.type === 'jobwarden.job.dead-lettered.v1';
    const checked = isDeadLetter ? { ...event, type: 'jobwarden.job.retry-scheduled.v1' } : event;
    const schema = isDeadLetter ? deadLetter : schemas.get(event.type);
    if (schema === undefined) return `${event.type} is no type of the contract`;
    return schema.Check(checked) ? null : `${event.type} is not as the contract says: ${JSON.stringify(event)}`;
  };
}
