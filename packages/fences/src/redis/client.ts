/** A client of ioredis (single or cluster), or of node-redis (`createClient`). */
export type RedisClient = IoredisClient | NodeRedisClient;

/** What ioredis has, a cluster's too. */
export interface IoredisClient {
  call(command: string, ...args: string[]): Promise<unknown>;
}

/** What node-redis has. */
export interface NodeRedisClient {
  sendCommand(args: string[]): Promise<unknown>;
}

export async function evaluate(redis: RedisClient, script: string, keys: readonly string[], args: readonly string[]): Promise<unknown> {
  const command = [script, String(keys.length), ...keys, ...args];
  return await ('call' in redis ? redis.call('EVAL', ...command) : redis.sendCommand(['EVAL', ...command]));
}
