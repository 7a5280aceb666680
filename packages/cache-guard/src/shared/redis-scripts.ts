// Keys of every script: marks (sorted set: key, tag or position → count), state (hash: epoch, at, floor, `s:` how far each
// shard was read, `pos:` how far each source), and an entry where one is meant. All have one hash tag, so one slot.
//
// The epoch stands in both of the first two. Where one of them is gone, evicted or lost with the server, all that was known
// is void: a new epoch begins, whose entries do not count among the old ones nor the other way round.

const BEGIN = `
local marks, state = KEYS[1], KEYS[2]
local epoch = redis.call('HGET', state, 'epoch')
if not epoch or not redis.call('ZSCORE', marks, 'epoch:' .. epoch) then
  epoch = ARGV[1]
  redis.call('DEL', marks, state)
  redis.call('HSET', state, 'epoch', epoch, 'at', '0', 'floor', '0')
  redis.call('ZADD', marks, '+inf', 'epoch:' .. epoch)
end
local function number(field) return tonumber(redis.call('HGET', state, field)) end
local function current(names, of, at)
  if of ~= epoch or at < number('floor') then return false end
  for _, name in ipairs(cjson.decode(names)) do
    local mark = redis.call('ZSCORE', marks, name)
    if mark and tonumber(mark) > at then return false end
  end
  return true
end
`;

/** [state as a flat list, entry's epoch, at, seen, names, text, time left] or [state]. */
export const READ = `${BEGIN}
local entry = redis.call('HMGET', KEYS[3], 'epoch', 'at', 'seen', 'names', 'text')
if entry[5] and not current(entry[4], entry[1], tonumber(entry[2])) then
  redis.call('DEL', KEYS[3])
  entry = {}
end
local now = redis.call('HGETALL', state)
if not entry[5] then return {now} end
return {now, entry[1], entry[2], entry[3], entry[4], entry[5], redis.call('PTTL', KEYS[3])}`;

/** Arguments: epoch, at, names, seen, text, ttl. */
export const STORE = `${BEGIN}
local at = tonumber(ARGV[3])
if not current(ARGV[4], ARGV[2], at) then return 0 end
local there = redis.call('HMGET', KEYS[3], 'epoch', 'at')
if there[1] == epoch and tonumber(there[2]) > at then return 0 end
redis.call('HSET', KEYS[3], 'epoch', ARGV[2], 'at', ARGV[3], 'names', ARGV[4], 'seen', ARGV[5], 'text', ARGV[6])
redis.call('PEXPIRE', KEYS[3], ARGV[7])
return 1`;

/** Arguments: epoch, at, names. */
export const IS_CURRENT = `${BEGIN}
if current(ARGV[4], ARGV[2], tonumber(ARGV[3])) then return 1 end
return 0`;

const KEEP_POSITION = `if ARGV[2] ~= '' then redis.call('HSET', state, 'pos:' .. ARGV[2], ARGV[3]) end\n`;

/** Arguments: source, its id, marks to keep, then for each: id, names as JSON, shard and number or two empty ones. */
export const INVALIDATE = `${BEGIN}
local answer = {epoch}
for i = 5, #ARGV, 4 do
  if ARGV[i + 2] ~= '' then
    local field, to = 's:' .. ARGV[i + 2], tonumber(ARGV[i + 3])
    if (number(field) or -1) < to then redis.call('HSET', state, field, ARGV[i + 3]) end
  end
  local before = redis.call('ZSCORE', marks, ARGV[i])
  if before then
    answer[#answer + 1] = tonumber(before)
  else
    local at = redis.call('HINCRBY', state, 'at', 1)
    for _, name in ipairs(cjson.decode(ARGV[i + 1])) do redis.call('ZADD', marks, at, name) end
    redis.call('ZADD', marks, at, ARGV[i])
    answer[#answer + 1] = at
  end
end
local over = redis.call('ZCARD', marks) - 1 - tonumber(ARGV[4])
if over > 0 then
  local popped = redis.call('ZPOPMIN', marks, over)
  for i = 1, #popped, 2 do
    if string.sub(popped[i], 1, 2) ~= 'p:' and tonumber(popped[i + 1]) > number('floor') then redis.call('HSET', state, 'floor', popped[i + 1]) end
  end
end
${KEEP_POSITION}return answer`;

/** Arguments: source, its id. */
export const RENEW = `${BEGIN}
local at = redis.call('HINCRBY', state, 'at', 1)
redis.call('HSET', state, 'floor', tostring(at))
redis.call('DEL', marks)
redis.call('ZADD', marks, '+inf', 'epoch:' .. epoch)
for _, field in ipairs(redis.call('HKEYS', state)) do
  if string.sub(field, 1, 2) == 's:' then redis.call('HDEL', state, field) end
end
${KEEP_POSITION}return {epoch, at}`;

/** Arguments: source. */
export const POSITION = `${BEGIN} return redis.call('HGET', state, 'pos:' .. ARGV[2])`;
