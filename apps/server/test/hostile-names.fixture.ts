/** H1: what people call their jobs. */
export const HOSTILE_NAMES = [
  'a:b',
  'a/b',
  '/',
  '//x//',
  '%2F',
  '%252F',
  'a%',
  '..',
  '.',
  '../../etc/passwd',
  'with space',
  ' leading and trailing ',
  'plus+and&and=and?and#',
  '"quotes" and \'apostrophes\'',
  "'; DROP TABLE jobs; --",
  'emoji 🐝 and combining e\u0301',
  '日本語',
  'back\\slash',
  'semi;colon',
  'new\nline and\ttab',
  '{curly} [square] <angle>',
  '$1 {0} %s',
  'x'.repeat(512),
  '🐝'.repeat(128),
];
/** Clients resolve these in a path before they send it, and cannot be told not to. */
const NO_PATH_CARRIES = new Set(['.', '..']);

/** The addresses of a queue, in the same way. */
export function queueAddressesOf(queue: string): ((call?: string) => string)[] {
  const name = encodeURIComponent(queue);
  const byQuery = (call = ''): string => `/v1/queue${call && `/${call}`}?queue=${name}`;
  const byPath = (call = ''): string => `/v1/queues/${name}${call && `/${call}`}`;
  return NO_PATH_CARRIES.has(queue) ? [byQuery] : [byQuery, byPath];
}

/** The addresses of a job: one by its names in the query, and one by its path where a path carries them. */
export function addressesOf(queue: string, id: string): ((call?: string) => string)[] {
  const query = `queue=${encodeURIComponent(queue)}&id=${encodeURIComponent(id)}`;
  const path = `/v1/queues/${encodeURIComponent(queue)}/jobs/${encodeURIComponent(id)}`;
  const byQuery = (call = ''): string => `/v1/jobs/one${call && `/${call}`}?${query}`;
  const byPath = (call = ''): string => `${path}${call && `/${call}`}`;
  return NO_PATH_CARRIES.has(id) || NO_PATH_CARRIES.has(queue) ? [byQuery] : [byQuery, byPath];
}
