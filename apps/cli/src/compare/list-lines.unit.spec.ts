import { describe, expect, it } from 'vitest';
import { csvAsLines, formatOf } from './list-lines.js';
import { objectsOf } from './read-lines.js';

async function* bytes(text: string, size = 7): AsyncGenerator<Uint8Array> {
  const all = Buffer.from(text);
  for (let at = 0; at < all.length; at += size) yield await Promise.resolve(all.subarray(at, at + size));
}

async function linesOf(csv: string): Promise<string[]> {
  let text = '';
  for await (const chunk of csvAsLines(bytes(csv))) text += Buffer.from(chunk).toString('utf8');
  return text.split('\n');
}

describe('the format of a list', () => {
  it.each([
    ['jobs.csv', 'csv'],
    ['JOBS.CSV', 'csv'],
    ['jobs.ndjson', 'ndjson'],
    ['csv', 'ndjson'],
    ['-', 'ndjson'],
  ])('goes by its name: %s', (name, format) => {
    expect(formatOf(name)).toBe(format);
  });
});

describe('a list as CSV', () => {
  it('becomes lines that stand where the records stood', async () => {
    const lines = await linesOf('queue,id,status,attempt\nq,é,active,2\n\nq,"b\n",done,\nq,c\nq,d,done,x\n');
    expect(lines[1]).toBe('{"queue":"q","id":"é","status":"active","attempt":2}');
    expect(lines[4]).toBe('{"queue":"q","id":"b\\n","status":"done"}');
    expect(lines[5]).toBe('a broken record');
    expect(lines[6]).toBe('{"queue":"q","id":"d","status":"done","attempt":"x"}');
    expect([lines[0], lines[2], lines[3]]).toEqual(['', '', '']);
    expect(await linesOf('queue,id\n')).toEqual(['']);
  });
});

describe('an answer as lines', () => {
  it('is read however it arrives, and not beyond its last whole line', async () => {
    const found: unknown[] = [];
    for await (const object of objectsOf(bytes('{"a":"é"}\n{"b":2}\n{"c":', 1))) found.push(object);
    expect(found).toEqual([{ a: 'é' }, { b: 2 }]);
  });
});
