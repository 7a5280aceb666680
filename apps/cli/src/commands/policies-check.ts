import { formatFaults, listPolicies } from '#libs/config';
import { readPolicyFile } from '../database/policies.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import type { Context } from '../terminal/terminal.js';

export interface PoliciesCheckFlags {
  readonly json?: boolean;
}

export async function runPoliciesCheck(
  file: string,
  { json = false }: PoliciesCheckFlags,
  { terminal }: Context,
): Promise<ExitCode> {
  const read = await readPolicyFile(file);
  if (typeof read === 'string') {
    terminal.err(read);
    return EXIT.refused;
  }
  if (!read.ok) {
    if (json) terminal.out(JSON.stringify({ ok: false, faults: read.faults }));
    else terminal.out(formatFaults(read.faults));
    return EXIT.differences;
  }
  const queues = new Set(
    listPolicies(read.value).flatMap((p) => (p.queue === null ? [] : [`${String(p.namespace)}/${p.queue}`])),
  );
  if (json) terminal.out(JSON.stringify({ ok: true, version: read.value.version, queues: [...queues] }));
  else
    terminal.out(`${file} is good: ${queues.size} queues with settings of their own, version ${read.value.version}.`);
  return EXIT.fine;
}
