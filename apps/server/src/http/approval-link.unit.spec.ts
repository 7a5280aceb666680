import { describe, expect, it } from 'vitest';
import { ApprovalLinks } from './approval-link.js';

const links = new ApprovalLinks(Buffer.alloc(32, 1));
const approval = { incidentId: '17', request: 3, expiresMs: 2_000, by: 'ada' };

function queryOf(path: string): { request: number; expires: number; by: string; signature: string } {
  const query = new URL(path, 'http://here').searchParams;
  return { request: Number(query.get('request')), expires: Number(query.get('expires')), by: query.get('by') ?? '', signature: query.get('signature') ?? '' };
}

describe('a link that approves', () => {
  const query = queryOf(links.pathOf(approval));

  it('is read back as it was made, until it expires', () => {
    expect(links.read('17', query, 1_999)).toEqual({ approval });
    expect(links.read('17', query, 2_000)).toEqual({ refused: 'link_expired' });
  });

  it.each([
    ['another incident', '18', query],
    ['another request', '17', { ...query, request: 4 }],
    ['a longer time', '17', { ...query, expires: 9_000 }],
    ['somebody else', '17', { ...query, by: 'bert' }],
    ['no signature', '17', { ...query, signature: '' }],
    ['another signature', '17', { ...query, signature: query.signature.replace(/^./u, (c) => (c === 'A' ? 'B' : 'A')) }],
  ])('is worth nothing for %s', (_, id, changed) => {
    expect(links.read(id, changed, 0)).toEqual({ refused: 'link_invalid' });
  });

  it('is worth nothing where another installation made it', () => {
    expect(new ApprovalLinks(Buffer.alloc(32, 2)).read('17', query, 0)).toEqual({ refused: 'link_invalid' });
  });
});
