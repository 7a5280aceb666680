import { expect, it } from 'vitest';
import { filtersOf, sinceOf } from './filters';

it('takes filters from the address, and leaves out what is none', () => {
  const all = 'id=a%2Fb&queue=q&status=failed&kind=k&worker=w&since=2026-03-01T14:00:00Z&next=x&namespace=n';
  expect(filtersOf(new URLSearchParams(all))).toEqual({ id: 'a/b', queue: 'q', status: 'failed', kind: 'k', worker: 'w', since: '2026-03-01T14:00:00.000Z' });
  expect(filtersOf(new URLSearchParams('status=toString&since=yesterday&queue='))).toEqual({});
});

it('makes an instant of "the last hour", so that the link shows the same to others', () => {
  expect(sinceOf('1h', Date.parse('2026-03-01T14:05:09.120Z'))).toBe('2026-03-01T13:05:00.000Z');
});
