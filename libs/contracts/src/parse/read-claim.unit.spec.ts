import { describe, expect, it } from 'vitest';
import { parseContext } from './context.js';
import { readClaim } from './read-claim.js';

const context = parseContext({ hashKey: Buffer.alloc(32, 7) });
const ref = { namespace: 'default', queue: 'emails', id: 'j' };
const worker = { id: 'w' };

describe('reading a claim', () => {
  it('is held to the limits of the event that it becomes', () => {
    expect(readClaim(ref, { claimId: 'x'.repeat(1_024), worker }, context)).toMatchObject({ worker });
  });

  it('names what is wrong as the call does, and the limit as the policy file does', () => {
    expect(readClaim(ref, { claimId: 'x'.repeat(1_025), worker }, context)).toMatch(/^claimId has 1025 bytes, over the limit of 1024 \(limits\.eventId\)/u);
    expect(readClaim(ref, { claimId: 'c', worker: { id: 'w'.repeat(256) } }, context)).toMatch(/^worker\.id has 256 bytes, .* \(limits\.field\)/u);
    expect(readClaim(ref, { claimId: 'a\0', worker }, context)).toMatch(/^claimId holds a NUL character/u);
  });
});
