// Kafka's jars, fetched once for each content of the pom. They are copied beside their place and renamed into it: a
// folder that is there is whole, and of two runs that fetch at once the later one throws its copy away.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, removeAbandonedFolders } from '../abandoned.js';

const root = join(import.meta.dirname, '../../../..').replace(/[\\/]dist$/, '');
const pom = join(root, 'test/kafka/broker/pom.xml');
// Not in node_modules, which an installation empties, also under a broker that runs.
const cache = join(root, '.cache');
const unfinished = 'kafka-fetching-';

function jarsFolder(): string {
  const content = createHash('sha256').update(readFileSync(pom)).digest('hex').slice(0, 12);
  return join(cache, `kafka-${content}`);
}

export const jarsAreThere = () => existsSync(jarsFolder());

/** The folder of the jars; fetches them first where they are missing. @throws with Maven's output. */
export async function kafkaJars(): Promise<string> {
  const folder = jarsFolder();
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  removeAbandonedFolders(cache, unfinished);
  const fetched = makeFolder(cache, unfinished);
  try {
    await copyJars(fetched);
    renameSync(fetched, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(fetched, { recursive: true, force: true });
  }
  return folder;
}

async function copyJars(to: string): Promise<void> {
  const args = ['-B', '-q', '-f', pom, 'dependency:copy-dependencies', '-DincludeScope=runtime'];
  const maven = spawn('mvn', [...args, `-DoutputDirectory=${to}`], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [maven.stdout, maven.stderr]) stream.on('data', (chunk: Buffer) => (output += String(chunk)));
  const [code] = (await once(maven, 'close')) as [number | null];
  if (code !== 0) throw new Error(`Maven could not fetch Kafka (code ${String(code)}):\n${output.trim()}`);
}
