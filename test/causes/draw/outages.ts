import type { Outage } from '../fleet/services.js';
import type { JobError } from '../log/entry.js';
import type { Random } from '../random.js';

export const OUTAGE_SHAPES = ['503', 'refused', 'timeouts', '429', 'dns', 'reset', '500'] as const;
export type OutageShape = (typeof OUTAGE_SHAPES)[number];

/** How a service is gone: what its callers see, and after how long. */
export function outageOf(shape: OutageShape, host: string, share: number, random: Random): Outage {
  const [fromMs, toMs] = shape === 'timeouts' ? [4_000, 20_000] : shape === '503' || shape === '500' ? [20, 900] : [1, 60];
  return { share, answer: () => ({ afterMs: random.between(fromMs, toMs), error: errorOf(shape, host, random) }) };
}

function errorOf(shape: OutageShape, host: string, random: Random): JobError {
  const request = `req-${random.hex(12)}`;
  switch (shape) {
    case '503':
      return { class: 'HTTPError', message: `POST https://${host}/v2/items answered 503 (Service Unavailable) ${request}`, responseStatus: 503 };
    case '500':
      return { class: 'AxiosError', message: `Request failed with status code 500 (${host}, ${request})`, code: 'ERR_BAD_RESPONSE', responseStatus: 500 };
    case '429':
      return { class: 'RateLimitError', message: `${host}: Too Many Requests, request ${request}`, responseStatus: 429 };
    case 'refused':
      return { class: 'Error', message: `connect ECONNREFUSED 10.0.${String(random.int(1, 9))}.${String(random.int(2, 250))}:443`, code: 'ECONNREFUSED' };
    case 'dns':
      return { class: 'Error', message: `getaddrinfo EAI_AGAIN ${host}`, code: 'EAI_AGAIN' };
    case 'reset':
      return { class: 'FetchError', message: `request to https://${host}/v2/items failed, reason: socket hang up`, code: 'ECONNRESET' };
    case 'timeouts':
      return random.chance(0.5)
        ? { class: 'TimeoutError', message: `Request to ${host} timed out after ${String(random.int(9_990, 10_010))} ms`, code: 'ETIMEDOUT' }
        : { class: 'Error', message: `connect ETIMEDOUT 10.0.3.${String(random.int(2, 250))}:443`, code: 'ETIMEDOUT' };
  }
}
