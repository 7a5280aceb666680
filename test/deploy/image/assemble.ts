import { join } from 'node:path';
import { repository } from '../repository.js';
import { run } from '../run.js';

/** As the Dockerfile has it. */
export const ASSEMBLE = 'node scripts/assemble.mjs';

/** Into an empty folder. @throws with what npm said. */
export async function assemble(folder: string): Promise<void> {
  // npm unpacks some hundred packages: half a minute on two busy cores, longer when they are very busy.
  const { code, stderr } = await run(process.execPath, [join(repository, 'scripts/assemble.mjs'), folder], { cwd: repository, withinMs: 300_000 });
  if (code !== 0) throw new Error(`The image could not be assembled:\n${stderr}`);
}
