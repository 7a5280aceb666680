// What an operator might write: the wish lies in a JSON file, as it might in Git, and whoever runs the workers follows it at once.
//   { "generation", "revision", "replicas", "paused", "writer", "releases": [{ "id", "revision" }], "broken": [] }
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const { verb, target, dryRun, wanted = {}, seen } = JSON.parse(readFileSync(0, 'utf8'));
const file = `${process.env.POOLS}/${target.slice('command:'.length)}.json`;
if (!existsSync(file)) process.exit(66);
const pool = JSON.parse(readFileSync(file, 'utf8'));
const pods = () =>
  Array.from({ length: pool.replicas }, (_, i) => ({
    name: `pod-${i}`,
    revision: pool.revision,
    ready: !pool.broken.includes(pool.revision),
    reason: pool.broken.includes(pool.revision) ? 'CrashLoopBackOff' : undefined,
  }));

if (verb === 'observe') {
  const available = pods().filter((pod) => pod.ready).length;
  const updated = pool.replicas;
  const { generation, revision, replicas, releases, paused, writer } = pool;
  process.stdout.write(JSON.stringify({ generation, wanted: replicas, replicas, updated, available, revision, releases, pods: pods(), paused, writer }));
} else {
  const release = pool.releases.find((one) => one.id === wanted.releaseId);
  if (wanted.releaseId !== undefined && release === undefined) process.exit(66);
  const next = { ...pool, revision: release?.revision ?? pool.revision, replicas: wanted.replicas ?? pool.replicas };
  const stands = next.revision === pool.revision && next.replicas === pool.replicas;
  if (!stands && seen.generation !== pool.generation) process.exit(73);
  const written = stands ? pool : { ...next, generation: pool.generation + 1, writer: 'jobwarden' };
  if (!dryRun) writeFileSync(file, JSON.stringify(written));
  process.stdout.write(JSON.stringify({ changed: !stands, generation: (dryRun ? pool : written).generation }));
}
