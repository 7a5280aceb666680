import { PgLaneClock } from '#libs/postgres';

/**
 * A broken twin of the service: it takes the brokers' lanes to be read up to now, whatever lies in them unread. Everything
 * else is the shipped program. The run in which brokers and readers are lost must find it out.
 */
const { read } = PgLaneClock.prototype;

PgLaneClock.prototype.read = async function (this: PgLaneClock): ReturnType<typeof read> {
  const reading = await read.call(this);
  return { ...reading, kafka: reading.kafka === null ? null : { ...reading.kafka, readMs: reading.nowMs } };
};

await import('../../../apps/server/src/main.js');
