import type { BadAttempt } from './window.js';

/** What an error's own words point at. `timeout`: something took too long, and it does not say what. */
export type Mark = 'memory' | 'lock' | 'connection' | 'race' | 'downstream' | 'timeout' | 'none';

/**
 * Names and codes that mean one thing wherever they come from: SQLSTATEs, errno names, and what common libraries call
 * their errors. The first that fits counts, so the narrow ones stand first.
 */
const MARKS: readonly { readonly mark: Mark; readonly codes: ReadonlySet<string>; readonly words: RegExp }[] = [
  {
    mark: 'memory',
    codes: new Set(['ERR_WORKER_OUT_OF_MEMORY', 'ENOMEM', '53200', 'OOMKilled']),
    words: /heap out of memory|heap space|unable to allocate|out ?of ?memory|MemoryError|oom.?kill|allocation failed|exit(?:ed)?(?: with)? (?:code|status) 137|cannot allocate memory/iu,
  },
  {
    mark: 'lock',
    codes: new Set(['40P01', '55P03', '40001', 'ER_LOCK_DEADLOCK', 'ER_LOCK_WAIT_TIMEOUT', '1205', '1213', 'P2034', 'SQLITE_BUSY']),
    words: /deadlock|lock (?:wait )?time-?d? ?out|lock not available|could not (?:obtain|acquire) (?:a )?lock|unable to achieve a quorum|resource (?:is|was) (?:already )?locked|ResourceLockedError|LockError|LockTimeout|ExecutionError|could not serialize/iu,
  },
  {
    mark: 'connection',
    codes: new Set(['53300', 'ER_CON_COUNT_ERROR', '1040', 'P2024', 'P2037', 'connection_exhaustion', 'ERR_POOL_TIMEOUT']),
    words: /remaining connection slots|too many (?:clients|connections)|connection pool|connection is not available|QueuePool limit|acquir\w* (?:a )?connection|ConnectionAcquireTimeout|timeout exceeded when trying to connect|pool (?:is )?(?:exhausted|timeout|full)|PoolTimeout|no connections? available|max_?client_?conn/iu,
  },
  {
    mark: 'race',
    codes: new Set(['superseded', 'token_unknown', 'token_required', 'stale_token']),
    words: /stale|fencing|superseded|lease (?:was )?lost|OptimisticLock|version (?:conflict|mismatch)|ConcurrentModification|token is (?:stale|too old)/iu,
  },
  {
    mark: 'downstream',
    codes: new Set(['ECONNREFUSED', 'ECONNRESET', 'EAI_AGAIN', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'EPIPE', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_SOCKET', 'ERR_BAD_RESPONSE', 'CERT_HAS_EXPIRED', 'EOPENBREAKER']),
    words: /socket hang up|\bECONN(?:REFUSED|RESET)\b|\bE(?:HOST|NET)UNREACH\b|\b(?:EAI_AGAIN|ENOTFOUND|EPIPE)\b|connection ?(?:refused|reset)|no route to host|name or service not known|getaddrinfo|bad gateway|service unavailable|gateway time-?out|too many requests|rate limit|upstream|circuit (?:breaker )?(?:is )?open|fetch failed|status (?:code )?(?:429|5\d\d)/iu,
  },
  {
    mark: 'timeout',
    codes: new Set(['ETIMEDOUT', 'ESOCKETTIMEDOUT', 'ECONNABORTED', '57014', 'UND_ERR_ABORTED', 'ABORT_ERR', 'ERR_TIMEOUT']),
    words: /time-?d? ?out|deadline exceeded|aborted/iu,
  },
];

export function markOf({ code, class: name, message, responseStatus }: BadAttempt): Mark {
  for (const { mark, codes } of MARKS) if (code !== null && codes.has(code)) return hosted(mark, message);
  if (responseStatus !== null && (responseStatus >= 500 || responseStatus === 429)) return 'downstream';
  const text = `${name ?? ''} ${message ?? ''}`;
  for (const { mark, words } of MARKS) if (words.test(text)) return hosted(mark, message);
  return 'none';
}

/** Who took too long is told by the address beside it. */
function hosted(mark: Mark, message: string | null): Mark {
  return mark === 'timeout' && hostIn(message) !== null ? 'downstream' : mark;
}

const HOST = /https?:\/\/([\w.-]{1,200}(?::\d{1,5})?)|\b((?:[a-z0-9-]{1,63}\.){1,6}[a-z]{2,20}(?::\d{1,5})?)\b|\b(\d{1,3}(?:\.\d{1,3}){3}:\d{1,5})\b/iu;

/** The first host or address that a message names. */
export function hostIn(message: string | null): string | null {
  const found = message === null ? null : HOST.exec(message);
  return found === null ? null : (found[1] ?? found[2] ?? found[3] ?? null);
}
