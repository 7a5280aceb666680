import { expect, it } from 'vitest';
import { retriesIn, timeoutMsIn } from './limits-fields';
import { traceHref, traceIdOf } from './trace';

it('takes limits as they are typed, and tells empty from wrong', () => {
  expect([retriesIn(''), retriesIn(' 3 '), retriesIn('101'), retriesIn('1.5'), retriesIn('x')]).toEqual([null, 3, NaN, NaN, NaN]);
  expect([timeoutMsIn(''), timeoutMsIn('1.5'), timeoutMsIn('0'), timeoutMsIn('34560001')]).toEqual([null, 1_500, NaN, NaN]);
});

it('links a trace by its id, and only to the web', () => {
  const id = '4bf92f3577b34da6a3ce929d0e0e4736';
  expect(traceIdOf(`00-${id}-00f067aa0ba902b7-01`)).toBe(id);
  expect([traceIdOf(undefined), traceIdOf('x'), traceIdOf(`00-${'0'.repeat(32)}-00f067aa0ba902b7-01`)]).toEqual([null, null, null]);
  expect(traceHref('https://t.example/{traceId}', id)).toBe(`https://t.example/${id}`);
  expect(traceHref('javascript:alert(1)//{traceId}', id)).toBeNull();
});
