// A worker process: takes tickets from its parent, tells Jobwarden over HTTP what happens, and listens to the command
// stream for stops. It knows nothing of Jobwarden's code.
//
//   main.js <base URL> <worker id>
import { randomUUID } from 'node:crypto';
import type { StopCommand } from '#libs/contracts';
import { Emitter } from '../emitter.js';
import { QUEUE } from '../settings.js';
import { readStream } from '../sse.js';
import type { Ticket } from '../ticket.js';
import { Attempt } from './attempt.js';
import type { FromWorker, ToWorker } from './messages.js';

const [baseUrl = '', id = ''] = process.argv.slice(2);
const worker = { id, incarnation: randomUUID() };
const emitter = new Emitter(baseUrl, id);
const listening = new AbortController();
let current: Attempt | null = null;
let finishing = false;

const tell = (message: FromWorker) => process.send?.(message);

async function run(ticket: Ticket): Promise<void> {
  current = new Attempt(ticket, worker, emitter, tell);
  await current.run();
  current = null;
  if (finishing) leave();
  else tell({ kind: 'ready' });
}

async function listenForStops(): Promise<void> {
  const url = `${baseUrl}/v1/streams/commands?queue=${QUEUE}`;
  for await (const { event, data } of readStream(url, listening.signal)) {
    if (event !== 'jobwarden.command.stop.v1') continue;
    const command = JSON.parse(data) as StopCommand;
    // A stop names its attempt; a worker of another one ignores it.
    const { ticket } = current ?? {};
    if (ticket?.id === command.subject && ticket.attempt === command.data.attempt) current?.stop();
  }
}

function leave(): void {
  listening.abort();
  if (process.connected) process.disconnect();
}

process.on('message', (message: ToWorker) => {
  if (message.kind === 'run') {
    void run(message.ticket);
    return;
  }
  finishing = true;
  if (current === null) leave();
  else if (message.now) current.stop();
});
// Ctrl-C reaches the whole group; the parent decides. Without a parent there is nothing left to do.
process.on('SIGINT', () => undefined);
process.on('disconnect', () => {
  if (!finishing) process.exit(0);
});

void listenForStops();
tell({ kind: 'ready' });
