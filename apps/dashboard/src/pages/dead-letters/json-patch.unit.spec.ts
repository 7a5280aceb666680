import { expect, it } from 'vitest';
import { patchBetween, patchText } from './json-patch';
import { KeyTwice, parseTree, textOf } from './json-tree';

const patch = (before: string, after: string): unknown => JSON.parse(patchText(patchBetween(parseTree(before), parseTree(after))));

it('names what was changed, added and taken out, and nothing else', () => {
  expect(patch('{"to":"ada@example.con","order":701,"old":1}', '{"to":"ada@example.com","order":701,"a/b~c":[1]}')).toEqual([
    { op: 'remove', path: '/old' },
    { op: 'replace', path: '/to', value: 'ada@example.com' },
    { op: 'add', path: '/a~1b~0c', value: [1] },
  ]);
  expect(patch('{"a":{"b":[1,2]}}', ' { "a" : { "b" : [ 1 , 2 ] } } ')).toEqual([]);
  expect(patch('1', '{}')).toEqual([{ op: 'replace', path: '', value: {} }]);
});

it('leaves what stands the same at both ends of an array alone', () => {
  expect(patch('[1,2,3,4]', '[1,3,4]')).toEqual([{ op: 'remove', path: '/1' }]);
  expect(patch('[1,4]', '[1,2,3,4]')).toEqual([{ op: 'add', path: '/1', value: 2 }, { op: 'add', path: '/2', value: 3 }]);
  expect(patch('[{"a":1},{"a":2}]', '[{"a":1},{"a":3}]')).toEqual([{ op: 'replace', path: '/1/a', value: 3 }]);
  expect(patch('[1,2,3]', '[]')).toEqual([{ op: 'remove', path: '/0' }, { op: 'remove', path: '/0' }, { op: 'remove', path: '/0' }]);
});

it('keeps numbers as they are spelled', () => {
  const text = '{"id":9007199254740993,"price":1.0}';
  expect(textOf(parseTree(text))).toBe(text);
  expect(patchText(patchBetween(parseTree(text), parseTree('{"id":9007199254740994,"price":1.0}')))).toBe('[{"op":"replace","path":"/id","value":9007199254740994}]');
});

it('refuses what is no JSON, and a key that stands twice', () => {
  expect(() => parseTree('{"a":}')).toThrow(SyntaxError);
  expect(() => parseTree('{"a":1,"\\u0061":2}')).toThrow(KeyTwice);
  expect(patch('{"__proto__":1}', '{"__proto__":2}')).toEqual([{ op: 'replace', path: '/__proto__', value: 2 }]);
});
