// The broker of the tests needs Java, Maven and OpenSSL, which npm cannot bring. A developer without them can still run all
// other tests and is told what was left out; a continuous build may leave nothing out.
import { spawnSync } from 'node:child_process';
import { jarsAreThere } from './jars.js';

const oldestJava = 17;
const cure = 'Debian: apt-get install default-jre-headless maven openssl';

let answer: string | null | undefined;

/** One line that says why no broker can be started here and what to install; null when one can. */
export function kafkaMissing(): string | null {
  return (answer ??= look());
}

/**
 * For `describe.skipIf(kafkaLeftOut())` in a spec that starts a broker of its own. With CI=true nothing may be left out:
 * it is false, and `startBroker` fails with the line of `kafkaMissing`.
 */
export function kafkaLeftOut(): boolean {
  return kafkaMissing() !== null && !isContinuousBuild();
}

export const isContinuousBuild = () => process.env['CI'] === 'true';

/** @throws with the line of `kafkaMissing`. */
export function requireKafka(): void {
  const missing = kafkaMissing();
  if (missing !== null) throw new Error(missing);
}

function look(): string | null {
  const java = javaMajor();
  if (java === null) return leftOut(`Java ${oldestJava} or later is missing`);
  if (java < oldestJava) return leftOut(`Java ${oldestJava} or later is missing (found ${java})`);
  if (!jarsAreThere() && !runs('mvn', '--version')) return leftOut('Maven is missing');
  return runs('openssl', 'version') ? null : leftOut('OpenSSL is missing');
}

const leftOut = (reason: string) => `The tests with Kafka are left out: ${reason}. ${cure}`;

function javaMajor(): number | null {
  const { status, stdout, stderr } = spawnSync('java', ['-version'], { encoding: 'utf8' });
  if (status !== 0) return null;
  const found = /version "(?:1\.)?(\d+)/.exec(`${stdout}${stderr}`);
  return Number(found?.[1] ?? 0);
}

function runs(program: string, argument: string): boolean {
  return spawnSync(program, [argument], { stdio: 'ignore' }).status === 0;
}
