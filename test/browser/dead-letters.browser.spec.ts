import { beforeAll, describe } from 'vitest';
import { testActions } from './dead-letters/actions.js';
import { Desk, HOSTILE } from './dead-letters/desk.js';
import { ODD_PAYLOAD, testEditor } from './dead-letters/editor.js';
import { testKeyboard } from './dead-letters/keyboard.js';
import { testStates } from './dead-letters/states.js';
import { LETTER_POLICY } from './dead-letters/stories.js';
import { useDashboard } from './harness/dashboard.js';

const desk = new Desk(useDashboard({ policy: LETTER_POLICY }));
const numbered = (name: string, most: number) => Array.from({ length: most }, (_, i) => `${name}-${String(i + 1)}`);
/** Numbers are no difference between patterns; words are. */
const word = (i: number) => `word${String.fromCharCode(97 + Math.floor(i / 8), 97 + (i % 8))}`;

// All that lies there before anybody looks, told at once: it is sorted once a second.
beforeAll(async () => {
  const { stories } = desk;
  await stories.lie([
    [numbered('mail', 4), {}],
    [[HOSTILE], { queue: 'hostile', class: HOSTILE, message: HOSTILE, kind: HOSTILE }],
    [numbered('slow', 9), { queue: 'slow' }],
    [numbered('one', 4), { queue: 'single' }],
    [numbered('raced', 2), { queue: 'raced', message: 'raced' }],
    [numbered('edit', 2), { queue: 'raced', message: 'edited' }],
    [numbered('keys', 3), { queue: 'keys', message: 'no such key', payload: { to: 'ada@example.con' } }],
    [numbered('late', 1), { queue: 'late', message: 'quota' }],
    [['sold'], { queue: 'stock', namespace: 'tenant', message: 'sold out' }],
    [['odd-1'], { queue: 'odd', message: 'odd', payloadText: ODD_PAYLOAD }],
    [['large'], { queue: 'odd', message: 'large', payload: { text: 'x'.repeat(70_000) } }],
    [['text'], { queue: 'odd', message: 'text', payload: 'only a text' }],
    ...Array.from({ length: 60 }, (_, i) => [[`many-${String(i)}`], { queue: 'many', message: word(i) }] as const),
  ]);
  desk.backAgain = stories.comeBack('mail-1');
}, 60_000);

describe('dead letters', () => {
  testStates(desk);
  testActions(desk);
  testEditor(desk);
  testKeyboard(desk);
});
