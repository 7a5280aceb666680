import { JOB_FIELDS } from '../own-keys.js';
import type { Script } from '../redis.js';

/**
 * What BullMQ's stall check leaves in a job's `defa` once it was found stalled too often: whoever takes it next fails it without
 * a call of its handler. A failed child leaves another text there.
 */
const STALLED_TOO_OFTEN = 'job stalled';

/**
 * Notes in a job's hash which attempt a command asks for, and takes the job from whoever holds it. One step, so that of two
 * readers of the same command only one moves it, and none moves what has been started since.
 *
 * KEYS 1 the job, 2 its lock, 3 the list of active jobs
 * ARGV 1 its id, 2 when it was created or empty, 3 attempt, 4 token, 5 what came with it, 6 our lock's token,
 *      7 how long we may hold it, ms, 8 `1`: also from under a live lock
 * Answers `gone`, `older` (a newer attempt is noted), `copy` (it has been started since), `running` (under a live lock),
 * `taken` (active, and the lock is ours now: move it), `noted` (it is not active).
 *
 * Where BullMQ was about to fail the job because it stalled too often, it does not any more: else the attempt that is put back would
 * end failed there without a run. The lock of a worker that has taken it to fail it does not count: no handler runs under it.
 *
 * A job that is not active has no lock that matters. Tokens are below 2^53, so Lua's numbers hold them.
 */
export const TAKE: Script = {
  name: 'jobwardenTake2',
  keys: 3,
  lua: `
if redis.call('EXISTS', KEYS[1]) == 0 then return 'gone' end
local counts = redis.call('HMGET', KEYS[1], 'ats', 'atm', 'stc', '${JOB_FIELDS.grant}', 'timestamp', 'defa')
if ARGV[2] ~= '' and counts[5] ~= ARGV[2] then return 'gone' end
local starts = tonumber(counts[1] or '0') or 0
if counts[4] then
  local token, at = string.match(counts[4], '^%d+ (%d+) (%d+) ')
  if token then
    if tonumber(token) > tonumber(ARGV[4]) then return 'older' end
    if tonumber(token) == tonumber(ARGV[4]) and starts > tonumber(at) then return 'copy' end
  end
end
local doomed = counts[6] and string.sub(counts[6], 1, ${String(STALLED_TOO_OFTEN.length)}) == '${STALLED_TOO_OFTEN}'
local active = redis.call('LPOS', KEYS[3], ARGV[1])
if active then
  local holder = redis.call('GET', KEYS[2])
  if holder and holder ~= ARGV[6] and ARGV[8] ~= '1' and not doomed then return 'running' end
  redis.call('SET', KEYS[2], ARGV[6], 'PX', ARGV[7])
end
if doomed then redis.call('HDEL', KEYS[1], 'defa') end
-- Also where it is noted already: it may have been found stalled since, and is the attempt that was asked for all the same.
local base = (tonumber(counts[2] or '0') or 0) + (tonumber(counts[3] or '0') or 0)
redis.call('HSET', KEYS[1], '${JOB_FIELDS.grant}', ARGV[3] .. ' ' .. ARGV[4] .. ' ' .. starts .. ' ' .. base)
redis.call('HSET', KEYS[1], '${JOB_FIELDS.command}', ARGV[5])
if active then return 'taken' end
return 'noted'
`,
};

/**
 * Takes the lock of an active job. KEYS 1 its lock, 2 the list of active jobs. ARGV 1 its id, 2 our lock's token, 3 how long, ms,
 * 4 `1`: also from under a live lock. Answers `taken`, `running` (under a live lock), `elsewhere` (it is not active).
 */
export const SEIZE: Script = {
  name: 'jobwardenSeize1',
  keys: 2,
  lua: `
if not redis.call('LPOS', KEYS[2], ARGV[1]) then return 'elsewhere' end
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[2] and ARGV[4] ~= '1' then return 'running' end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 'taken'
`,
};

/** Of the jobs that are active under no lock: id, starts, id, starts … KEYS 1 the list of active jobs, 2 `prefix:queue:`. */
export const ABANDONED: Script = {
  name: 'jobwardenAbandoned1',
  keys: 2,
  lua: `
local found = {}
for _, id in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do
  if redis.call('EXISTS', KEYS[2] .. id .. ':lock') == 0 then
    found[#found + 1] = id
    found[#found + 1] = tonumber(redis.call('HGET', KEYS[2] .. id, 'ats') or '0') or 0
  end
end
return found
`,
};

/**
 * Who was the first to add an attempt as a new job: answers its mark, which is ARGV[2] for the first.
 *
 * KEYS 1 the set. ARGV 1 the new job's id, 2 a mark that begins with the time, ms, 3 how many are kept, 4 older ones go
 */
export const MARK: Script = {
  name: 'jobwardenMark1',
  keys: 1,
  lua: `
local known = redis.call('ZSCORE', KEYS[1], ARGV[1])
if known then return known end
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. ARGV[4])
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -tonumber(ARGV[3]) - 1)
return redis.call('ZSCORE', KEYS[1], ARGV[1])
`,
};

/** Sets a field of a hash that is there: it must not make one of a job that was removed. KEYS 1 the hash. ARGV field, value … */
export const SET_FIELDS: Script = {
  name: 'jobwardenSetFields1',
  keys: 1,
  lua: `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], unpack(ARGV))
return 1
`,
};
