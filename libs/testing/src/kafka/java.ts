// Java programs of Kafka: one that ends by itself, and a broker.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { startGuarded, type GuardedServer } from './guarded.js';

const run = promisify(execFile);

/** They live for a minute or two: compile less, collect simply. */
const quickStart = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
const logging = ['-Dorg.slf4j.simpleLogger.showDateTime=true', '-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS'];

export async function runJava(jars: string, args: readonly string[]): Promise<void> {
  await run('java', [...quickStart, '-Xmx128m', '-cp', `${jars}/*`, ...args]);
}

export interface JavaServerOptions {
  readonly jars: string;
  readonly heapMb: number;
  readonly args: readonly string[];
  readonly onLine: (line: string) => void;
}

export function startJavaServer({ jars, heapMb, args, onLine }: JavaServerOptions): GuardedServer {
  return startGuarded(['java', ...quickStart, `-Xmx${heapMb}m`, ...logging, '-cp', `${jars}/*`, ...args], onLine);
}
