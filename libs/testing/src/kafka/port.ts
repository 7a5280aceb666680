import { once } from 'node:events';
import { createServer } from 'node:net';

// Below the range from which systems take the ports of outgoing connections (32768 on Linux): while a killed broker is
// down its port has to stay free, and a client that keeps trying must not be connected to itself.
const lowest = 15_000;
const highest = 32_000;

/** A port of the loopback address where nobody listens, and which no outgoing connection takes. */
export async function listenerPort(): Promise<number> {
  for (;;) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest));
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer().listen(port, '127.0.0.1');
  try {
    await once(probe, 'listening');
  } catch {
    return false;
  }
  probe.close();
  await once(probe, 'close');
  return true;
}
