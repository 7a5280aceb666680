// Tokens are below 2⁵³, and Lua's numbers are doubles: they compare exactly. What is stored is the text as it came, since
// Lua would write a number of sixteen digits as 9.007e+15.

/**
 * First lines of a script: ends it with 0 while a higher token is kept, else keeps this one. The fence is the last key,
 * the token and how long to keep it (ms) are the last two arguments.
 */
export const FENCE = `
local fence, token, keepMs = KEYS[#KEYS], ARGV[#ARGV - 1], ARGV[#ARGV]
local newest = redis.call('GET', fence)
if newest and tonumber(newest) > tonumber(token) then return 0 end
`;

const KEEP = `redis.call('SET', fence, token, 'PX', keepMs)\n`;

const SET = `if ARGV[2] == '' then redis.call('SET', KEYS[1], ARGV[1]) else redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) end\n`;

/** Keys: value, fence. Arguments: value, ttl or nothing, token, keepMs. 1 or 0. */
export const FENCED_SET = `${FENCE}${KEEP}${SET}return 1`;

/** The same with the expected value as the third argument, and an empty fourth where none is expected. 1, 0 or 2: differs. */
export const FENCED_SWAP = `${FENCE}
local now = redis.call('GET', KEYS[1])
if (ARGV[4] == '' and now) or (ARGV[4] ~= '' and now ~= ARGV[3]) then return 2 end
${KEEP}${SET}return 1`;

/** Runs the lines of somebody else behind the fence: [1, what they return] or [0]. */
export const fencedRun = (lua: string): string => `
local function stale() ${FENCE.replace('return 0', 'return true')} ${KEEP} return false end
if stale() then return {0} end
local function effect() ${lua}
end
return {1, effect()}`;
