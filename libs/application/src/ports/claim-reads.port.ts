import type { AttachmentRequest, Attachments } from './outbound-store.port.js';

/** What a claim's answer tells besides the grant. Read after the claim: none of it changes any more. */
export interface ClaimReads {
  /** `grant`: the position of the decision that granted the attempt, whether anything of it has gone out or not. */
  attachments(request: AttachmentRequest): Promise<Attachments>;
}
