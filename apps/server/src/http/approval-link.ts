import { createHmac, timingSafeEqual } from 'node:crypto';

/** What a signed link lets whoever holds it approve: one request of one incident, once, for a time. */
export interface LinkedApproval {
  readonly incidentId: string;
  /** Number of the step that asks. Once that is answered the link is worth nothing. */
  readonly request: number;
  /** Real time, ms. */
  readonly expiresMs: number;
  /** Who had it made. */
  readonly by: string;
}

export type LinkReading = { readonly approval: LinkedApproval } | { readonly refused: 'link_invalid' | 'link_expired' };

/**
 * Links that approve, signed by a key of this installation's own. The signature covers all that the link says, so neither the
 * incident nor the time can be changed; that a link is used once follows from what it names: an answered request is asked no more.
 */
export class ApprovalLinks {
  private readonly key: Buffer;

  constructor(installationKey: Uint8Array) {
    this.key = createHmac('sha256', installationKey).update('jobwarden approval link v1').digest();
  }

  /** Without host: whoever sends it knows where the service is reached. */
  pathOf(approval: LinkedApproval): string {
    const { incidentId, request, expiresMs, by } = approval;
    const query = new URLSearchParams({ request: String(request), expires: String(expiresMs), by, signature: this.signatureOf(approval) });
    return `/v1/incidents/${encodeURIComponent(incidentId)}/approval?${query.toString()}`;
  }

  read(incidentId: string, query: { readonly request: number; readonly expires: number; readonly by: string; readonly signature: string }, nowMs: number): LinkReading {
    const approval = { incidentId, request: query.request, expiresMs: query.expires, by: query.by };
    const [expected, given] = [Buffer.from(this.signatureOf(approval)), Buffer.from(query.signature)];
    if (expected.length !== given.length || !timingSafeEqual(expected, given)) return { refused: 'link_invalid' };
    return nowMs < query.expires ? { approval } : { refused: 'link_expired' };
  }

  private signatureOf({ incidentId, request, expiresMs, by }: LinkedApproval): string {
    return createHmac('sha256', this.key).update(JSON.stringify([incidentId, request, expiresMs, by])).digest('base64url');
  }
}
