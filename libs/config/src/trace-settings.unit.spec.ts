import { describe, expect, it } from 'vitest';
import { parsePolicy } from './policy-file.js';

const urlOf = (text: string) => {
  const result = parsePolicy(text, 'policy.yaml');
  return result.ok ? result.value.traces.url : result.faults.map(({ path }) => path);
};

describe('where traces are looked at', () => {
  it('is nowhere unless it is said', () => expect(urlOf('')).toBeNull());

  it('is an address with the place of the trace in it, kept as it is written', () => {
    expect(urlOf(`traces: {url: 'https://t.example.com/a?trace={traceId}'}`)).toBe('https://t.example.com/a?trace={traceId}');
  });

  it.each(['https://t.example.com/', 'javascript:{traceId}', '{traceId}', 'https://ada:secret@t.example.com/{traceId}', '7'])('is refused as %s', (url) => {
    expect(urlOf(`traces: {url: '${url}'}`)).toEqual(['traces.url']);
  });

  it('is refused with a key that is none', () => expect(urlOf('traces: {link: x}')).toEqual(['traces.link']));
});
