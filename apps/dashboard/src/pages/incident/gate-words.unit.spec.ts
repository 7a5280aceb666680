import { expect, it } from 'vitest';
import { incident } from '../../text/incident';
import { gateWords } from './gate-words';
import type { Gate } from './incident-queries';

type Told = Parameters<typeof gateWords>[0];
const told = (verdict: Gate['verdict'], changes: Partial<Told> = {}): Told => ({ verdict, pass: verdict === 'healthy', closed: [], reasons: [], needed: { canary: 0, stable: 0 }, ...changes });
const CLOSED: Partial<Told> = { pass: false, closed: [{ code: 'postmortem_open', incidentIds: ['17'] }] };
const says = (of: Told) => gateWords(of).says.join(' ');

it('lets a rollout go on for a healthy canary alone, and only while nothing keeps the gate closed', () => {
  expect(says(told('healthy', { reasons: ['not_worse'] }))).toBe('A rollout may go on.');
  expect(says(told('healthy', CLOSED))).toBe('A rollout has to wait. The canary is good enough, but the gate is closed until the postmortem is signed, or somebody opens it by hand.');
  for (const verdict of ['unhealthy', 'inconclusive', 'error'] as const) expect(says(told(verdict))).not.toContain('may go on');
});

it('says what is worse, and that the gate is closed as well', () => {
  expect(says(told('unhealthy', { reasons: ['failures_worse', 'run_times_worse'] }))).toBe('A rollout must not go on: take the canary back. More of its attempts fail. It takes longer.');
  expect(says(told('unhealthy', { ...CLOSED, reasons: ['failures_worse'] }))).toContain('The gate is closed whatever a canary does');
});

it('says how many attempts are still needed, and why nothing is told', () => {
  expect(says(told('inconclusive', { reasons: ['more_samples_needed'], needed: { canary: 430, stable: 0 } }))).toBe('A rollout has to wait until it is told. What would tell, about: 430 attempts more of the canary, 0 attempts more of stable.');
  expect(gateWords(told('inconclusive', { reasons: ['no_canary_traffic'], needed: { canary: 1, stable: 0 } }))).toMatchObject({ verdict: 'No canary runs now', says: ['No canary has ended an attempt in this time.', 'Once one does, it is compared with what runs beside it.'] });
  expect(says(told('inconclusive', { ...CLOSED, reasons: ['no_canary_traffic'] }))).toContain('The gate is closed whatever a canary does');
});

it('says of what cannot be judged why not: for each reason that there is', () => {
  expect(says(told('error', { reasons: ['stable_unknown'] }))).toBe('It cannot be judged, so a rollout has to wait. Nothing stable runs beside it to be compared with.');
  for (const words of Object.values(incident.gate.reason)) expect(words).toMatch(/^[A-Z].*\.$/u);
});
