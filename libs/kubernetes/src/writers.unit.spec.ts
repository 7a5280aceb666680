import { expect, it } from 'vitest';
import type { ManagedFields } from './objects.js';
import { writerOf } from './writers.js';

const wrote = (manager: string, second: number, ...parts: readonly string[]): ManagedFields => ({
  manager,
  time: `2026-01-15T09:30:${String(second).padStart(2, '0')}Z`,
  fieldsV1: { 'f:spec': Object.fromEntries(parts.map((part) => [`f:${part}`, {}])) },
});
const at = (second: number) => Date.UTC(2026, 0, 15, 9, 30, second);

it('of those who own a part the newest wrote it last', () => {
  const fields = [wrote('kubectl-create', 1, 'template', 'replicas'), wrote('argocd-controller', 9, 'template'), wrote('hpa', 5, 'replicas')];
  expect(writerOf(fields, 'template')).toEqual({ manager: 'argocd-controller', atMs: at(9) });
  expect(writerOf(fields, 'replicas')).toEqual({ manager: 'hpa', atMs: at(5) });
});

it('of two in one second it is the other one, whatever their order', () => {
  const [own, other] = [wrote('jobwarden', 9, 'template'), wrote('flux', 9, 'template')];
  expect(writerOf([own, other], 'template')?.manager).toBe('flux');
  expect(writerOf([other, own], 'template')?.manager).toBe('flux');
});

it('who owns only the state, or nothing, wrote no wish', () => {
  expect(writerOf([{ manager: 'kube-controller-manager', subresource: 'status', fieldsV1: { 'f:status': {} } }], 'template')).toBeNull();
  expect(writerOf([{ manager: 'x', fieldsV1: null }, {}], 'replicas')).toBeNull();
});
