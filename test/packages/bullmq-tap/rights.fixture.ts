/** All that a tap sends, and all that it may: none of it writes. docs/observe.md has the same. */
export const TAP_COMMANDS = 'ping scan exists xread xrange xrevrange hmget hget lrange llen lindex zrange zcard zscore zscan mget pttl'.split(' ');
export const TAP_RIGHTS = `resetkeys %R~bull:* resetchannels -@all ${TAP_COMMANDS.map((command) => `+${command}`).join(' ')}`;
