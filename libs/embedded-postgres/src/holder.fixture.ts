// A process of its own for the tests: starts the server on a folder, says so in one line of JSON, and holds it
// until it is killed. `fail-without-stopping`: has nothing left to do after the start.
import { startEmbeddedPostgres } from './start.js';

const [dataDir = '', mode] = process.argv.slice(2);
const say = (message: object) => process.stdout.write(`${JSON.stringify(message)}\n`);

try {
  const server = await startEmbeddedPostgres({ dataDir });
  say({ url: server.url, pid: server.pid });
  if (mode === 'fail-without-stopping') process.exitCode = 7;
  else process.stdin.resume();
} catch (error) {
  say({ error: String(error) });
  process.exitCode = 1;
}
