import type { FaultLog } from './fault-log.js';
import { defaultOf, forEachEntry, readFields, type FieldTable } from './fields.js';
import type { Stack } from './policy-stack.js';
import type { OrchestratorEntry } from './policy-types.js';
import { duration, shown, type Reader } from './readers.js';
import { suggestFor } from './suggest.js';
import type { Tree } from './yaml-tree.js';

interface OrchestratorSettings {
  readonly observe: readonly string[];
  readonly apply: readonly string[];
  readonly timeout: number;
  readonly env: Readonly<Record<string, string>>;
  readonly envFrom: readonly string[];
}

const MAX_ARGUMENTS = 64;

/** A program and its arguments, in order: a list of which the same word may be twice. */
const argvReader: Reader<readonly string[]> = {
  type: 'list of texts',
  rule: `a program and its arguments, ${String(MAX_ARGUMENTS)} at most; no shell reads them`,
  read(tree) {
    const items = tree.kind === 'list' ? tree.items : [];
    const words = items.flatMap((item) => (item.kind === 'scalar' && item.text !== '' ? [item.text] : []));
    if (words.length > 0 && words.length === items.length && words.length <= MAX_ARGUMENTS) return { ok: true, value: words };
    return { ok: false, rule: `must be a list of a program and its arguments, is ${shown(tree)}`, mend: 'write it as [/usr/local/bin/rollback, workers]' };
  },
};

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

const isOwn = (name: string): boolean => NAME.test(name) && !name.startsWith('JOBWARDEN_');
const OWN_NAMES = 'names of letters, digits and `_` that do not begin with `JOBWARDEN_`';

const envReader: Reader<Readonly<Record<string, string>>> = {
  type: 'map of texts',
  rule: OWN_NAMES,
  read(tree) {
    const entries = tree.kind === 'map' ? tree.entries : [];
    const fits = entries.every(({ key, value }) => isOwn(key) && value.kind === 'scalar');
    if (tree.kind === 'map' && fits) return { ok: true, value: Object.fromEntries(entries.map(({ key, value }) => [key, value.kind === 'scalar' ? value.text : ''])) };
    // Not quoted: a value may be a secret.
    return { ok: false, rule: 'must be a map of variables and their texts', mend: `write NAME: value, with ${OWN_NAMES}` };
  },
};

const envFromReader: Reader<readonly string[]> = {
  type: 'list of names',
  rule: OWN_NAMES,
  read(tree) {
    const items = tree.kind === 'list' ? tree.items : [tree];
    const names = items.flatMap((item) => (item.kind === 'scalar' && isOwn(item.text) ? [item.text] : []));
    if (names.length === items.length) return { ok: true, value: names };
    return { ok: false, rule: 'must name variables of the service', mend: `write the names and not the values, with ${OWN_NAMES}` };
  },
};

export const ORCHESTRATOR_FIELDS: FieldTable<OrchestratorSettings> = {
  observe: { reader: argvReader, written: null, meaning: 'Prints as JSON what is wished for and what is there. Required.' },
  apply: { reader: argvReader, written: null, meaning: 'Writes a release and a number of workers. Must be repeatable. Required.' },
  timeout: {
    reader: duration({ min: 100, max: 600_000 }),
    written: '30s',
    meaning: 'Of one run: then it is ended with all its children.',
  },
  env: { reader: envReader, written: null, meaning: 'Variables of the commands, beside PATH, HOME, LANG and those that begin with JOBWARDEN_ ([rollback](rollback.md#commands)).' },
  envFrom: {
    reader: envFromReader,
    written: null,
    meaning: 'Variables of the service that the commands get too, such as a token. They get no others.',
  },
};

export function readOrchestrators(tree: Tree | undefined, log: FaultLog): ReadonlyMap<string, OrchestratorEntry> {
  const entries = new Map<string, OrchestratorEntry>();
  if (tree === undefined) return entries;
  forEachEntry({ tree, path: 'orchestrators', log }, ({ key, value, place }, path) => {
    if (!/^[a-zA-Z0-9][\w.-]{0,63}$/.test(key)) {
      log.add('bad-name', place, path, 'must be a name of letters, digits, `.`, `_` and `-`, 64 at most', 'write a name such as email-workers');
    }
    const before = log.count;
    const found = readFields({ tree: value, path, log }, ORCHESTRATOR_FIELDS);
    const whole = log.count === before;
    for (const verb of ['observe', 'apply'] as const) {
      if (whole && found[verb] === undefined) log.add('missing-key', place, `${path}.${verb}`, 'is required', 'add the command: [program, argument …]');
    }
    entries.set(key, {
      observe: found.observe?.value ?? [],
      apply: found.apply?.value ?? [],
      timeoutMs: found.timeout?.value ?? defaultOf(ORCHESTRATOR_FIELDS.timeout),
      env: found.env?.value ?? {},
      envFrom: found.envFrom?.value ?? [],
    });
  });
  return entries;
}

const LABEL = '[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?';
const DEPLOYMENT = new RegExp(String.raw`^${LABEL}/${LABEL}(?:\.${LABEL})*$`);
const NAMED = /^(command|simulated):[a-zA-Z0-9][\w.-]{0,63}$/;

export const targetReader: Reader<string> = {
  type: 'target',
  rule: '`NAMESPACE/NAME` of a Kubernetes Deployment, `command:NAME` of `orchestrators`, `simulated:NAME`',
  read(tree) {
    const written = tree.kind === 'scalar' ? tree.text : '';
    if (written.length <= 320 && (DEPLOYMENT.test(written) || NAMED.test(written))) return { ok: true, value: written };
    return { ok: false, rule: `must be a target, is ${shown(tree)}`, mend: 'write shop/email-workers for a Deployment, or command:NAME' };
  },
};

/** A target that nobody serves would be found only when it is needed. */
export function checkTarget(stack: Stack, orchestrators: ReadonlyMap<string, OrchestratorEntry>, log: FaultLog): void {
  const written = stack.written.get('rollback.target');
  const name = /^command:(.*)$/.exec(stack.settings['rollback.target'] ?? '')?.[1];
  if (written === undefined || name === undefined || orchestrators.has(name)) return;
  const { place, path } = written.placed;
  const known = [...orchestrators.keys()];
  const mend = known.length === 0 ? `add orchestrators: {${name}: {observe: […], apply: […]}}` : suggestFor(name, known);
  log.add('unknown-orchestrator', place, path, `names the orchestrator "${name}", which the file does not have`, mend);
}
