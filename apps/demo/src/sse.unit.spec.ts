import { expect, test } from 'vitest';
import { parseBlock } from './sse.js';

test('an event has its id, its type and its data', () => {
  expect(parseBlock('id: AbC\nevent: x.v1\ndata: {"a":1}')).toEqual({ id: 'AbC', event: 'x.v1', data: '{"a":1}' });
});

test('data over several lines is one text, and a colon in it is part of it', () => {
  expect(parseBlock('data: a: b\ndata:c')).toEqual({ id: null, event: 'message', data: 'a: b\nc' });
});

test('a comment is no event', () => {
  expect(parseBlock(': connected').data).toBeNull();
  expect(parseBlock('retry: 1000\n: connected').data).toBeNull();
});

test('a sign of life says how far a quiet stream has been read, and is no event', () => {
  expect(parseBlock(': heartbeat\nid: Q')).toEqual({ id: 'Q', event: 'message', data: null });
});
