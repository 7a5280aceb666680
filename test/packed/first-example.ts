import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a README promises under `## First example`. */
export interface FirstExample {
  readonly language: 'js' | 'sh';
  readonly code: string;
  /** A line of what it prints has this in it. */
  readonly shows: string;
  /** What the policy file has to have for it, or null. */
  readonly policy: string | null;
}

const SECTION = /^## First example\n(?<section>[\s\S]*?)(?=^## |(?![\s\S]))/mu;
const EXAMPLE = /<!-- shows "(?<shows>.+?)" -->\s*```(?<language>js|sh)\n(?<code>[\s\S]+?)```/u;

const POLICY = /<!-- added to the policy file -->\s*```yaml\n(?<policy>[\s\S]+?)```/u;

/** @throws with what is missing. */
export function readFirstExample(readme: string): FirstExample {
  const section = SECTION.exec(readme)?.groups?.['section'];
  if (section === undefined) throw new Error('has no "## First example"');
  const { shows, language, code } = EXAMPLE.exec(section)?.groups ?? {};
  if (shows === undefined || code === undefined) throw new Error('its first example is no ```js or ```sh below a <!-- shows "…" -->');
  return { language: language === 'sh' ? 'sh' : 'js', code, shows, policy: POLICY.exec(section)?.groups?.['policy'] ?? null };
}

export interface Ran {
  readonly code: number | null;
  readonly output: string;
}

/** Pasted into a file of `folder` and run there, for at most a minute. */
export async function runExample(name: string, { language, code }: FirstExample, { folder, env }: { readonly folder: string; readonly env: NodeJS.ProcessEnv }): Promise<Ran> {
  const file = join(folder, `${name}.${language === 'js' ? 'mjs' : 'sh'}`);
  writeFileSync(file, code);
  const [program, args] = language === 'js' ? [process.execPath, [file]] : ['bash', ['-euo', 'pipefail', file]];
  const child = spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000, killSignal: 'SIGKILL' });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += String(chunk)));
  const ended = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code: ended, output };
}

export const readReadme = (root: string, folder: string): string => readFileSync(join(root, 'packages', folder, 'README.md'), 'utf8');
