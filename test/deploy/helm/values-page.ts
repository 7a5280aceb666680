// The reference of the chart's values, from the comments of values.yaml.
import { isMap, isScalar, isSeq, parseDocument, stringify, type Node, type Pair } from 'yaml';

interface Row {
  readonly key: string;
  readonly fallback: string;
  readonly meaning: string;
}

const BEGIN = '<!-- Generated from values.yaml by test/generate/helm-values-main.ts: from here on do not edit. -->';

/** The README with the table of all values at its end. @throws where a value has no `# --` above it. */
export function withValues(readme: string, values: string): string {
  const [head = ''] = readme.split(BEGIN);
  const lines = rowsOf(values).map(({ key, fallback, meaning }) => `| \`${key}\` | ${fallback} | ${meaning} |`);
  return `${head.trimEnd()}\n\n${BEGIN}\n\n| Value | Default | Meaning |\n| --- | --- | --- |\n${lines.join('\n')}\n`;
}

/** Every value in its order: what has a description, down to what is described as a whole. */
export function rowsOf(values: string): readonly Row[] {
  const { contents } = parseDocument(values);
  if (!isMap(contents)) throw new Error('values.yaml is no mapping');
  return contents.items.flatMap((pair, index) => below(pair as Pair<Node, Node | null>, { path: [], first: index === 0 ? contents.commentBefore : null }));
}

function below({ key, value }: Pair<Node, Node | null>, { path, first }: { readonly path: readonly string[]; readonly first: string | null | undefined }): readonly Row[] {
  const name = [...path, String(isScalar(key) ? key.value : key)];
  const meaning = descriptionIn(key.commentBefore ?? first ?? '');
  if (meaning !== null) return [{ key: name.join('.'), fallback: written(value), meaning }];
  if (!isMap(value) || value.items.length === 0) throw new Error(`values.yaml: ${name.join('.')} has no description (# -- …) above it`);
  return value.items.flatMap((pair, index) => below(pair as Pair<Node, Node | null>, { path: name, first: index === 0 ? value.commentBefore : null }));
}

/** The last `--` line; what stands before it is of others. */
function descriptionIn(comment: string): string | null {
  const found = comment.split('\n').filter((line) => line.startsWith(' -- ')).at(-1);
  return found === undefined ? null : found.slice(4).trim().replaceAll('|', '\\|');
}

function written(value: Node | null): string {
  if (value === null || (isScalar(value) && value.value === null)) return '—';
  if (isScalar(value) && value.value === '') return '—';
  if (isSeq(value) && value.items.length === 0) return '`[]`';
  return `\`${stringify(value.toJSON(), { collectionStyle: 'flow', lineWidth: 0 }).trim()}\``;
}
