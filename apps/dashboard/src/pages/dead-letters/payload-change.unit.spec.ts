import { expect, it } from 'vitest';
import { deadLetters } from '../../text/dead-letters';
import { escapeHidden, hiddenIn } from '../../text/format';
import { patchText } from './json-patch';
import { parseTree } from './json-tree';
import { changeOf, treeOf } from './payload-change';

const { patch: text } = deadLetters;
const before = parseTree('{"a":1}');

it.each([
  ['no JSON', '{"a":', /^This is no JSON/],
  ['a key that stands twice', '{"a":1,"\\u0061":2}', text.twice('a')],
  ['a key that stands twice far below', '{"a":{"b":[{"c":1,"c":1}]}}', text.twice('c')],
  ['brackets that would overflow the stack', `${'['.repeat(20_000)}${']'.repeat(20_000)}`, text.deep('200')],
  ['more than can be worked out while one types', `"${'x'.repeat(300_000)}"`, /^300K characters are more than the 250K/],
  ['a message that turns the words around', '{"a":\u202e}', /^(?!.*\u202e).*\\u\{202e\}/su],
])('says of %s what is wrong with it', (_, typed, fault) => {
  expect(changeOf(before, typed)).toEqual({ ops: null, fault: typeof fault === 'string' ? fault : expect.stringMatching(fault) as unknown });
});

it('takes numbers of any size as they are spelled', () => {
  const { ops } = changeOf(before, `{"a":1e999,"b":${'9'.repeat(400)}}`);
  expect(patchText(ops ?? [])).toBe(`[{"op":"replace","path":"/a","value":1e999},{"op":"add","path":"/b","value":${'9'.repeat(400)}}]`);
});

it('sends half of a surrogate pair as an escape, since UTF-8 has none', () => {
  const sent = patchText(changeOf(before, '{"a":"\ud800x\ud83d\ude00","\udfff":1}').ops ?? []);
  expect(sent).toContain('"\\ud800x\ud83d\ude00"');
  expect(sent.isWellFormed()).toBe(true);
  expect(JSON.parse(sent)).toEqual([{ op: 'replace', path: '/a', value: '\ud800x\ud83d\ude00' }, { op: 'add', path: '/\udfff', value: 1 }]);
});

it('says why a payload cannot be edited', () => {
  expect(treeOf('{"a":1,"a":2}')).toBe(text.twice('a'));
  expect(treeOf('not JSON')).toMatch(/^This is no JSON/);
});

it('writes what cannot be seen as escapes in strings, and nowhere else', () => {
  const json = '{\n  "a\u200b": "\u202egnp \u{e0041} \\" \\\\",\t"é": "ok"\n}';
  expect(escapeHidden(json)).toBe('{\n  "a\\u200b": "\\u202egnp \\udb40\\udc41 \\" \\\\",\t"é": "ok"\n}');
  expect(JSON.parse(escapeHidden(json))).toEqual(JSON.parse(json));
  expect(hiddenIn(json)).toEqual(['\\u{200b}', '\\u{202e}', '\\u{e0041}']);
});
