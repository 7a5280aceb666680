import { expect, it } from 'vitest';
import { rateIn } from './rate';

it.each([['50', 50], [' 1 ', 1], ['1000', 1_000], ['0', null], ['1001', null], ['1.5', null], ['', null], ['ten', null]])('reads %j as a rate of %j', (text, rate) => {
  expect(rateIn(text)).toBe(rate);
});
