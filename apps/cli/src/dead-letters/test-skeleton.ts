/** What the skeleton says of itself; all of it goes into comments and strings of a program. */
export interface SkeletonOf {
  readonly queue: string;
  readonly id: string;
  /** Class and message of the failure; null: none was told. */
  readonly failure: string | null;
  /** Path of the module under test, as an import from beside the skeleton has it. */
  readonly handler: string;
}

/** A test for `node --test` beside its `fixture.json`: needs nothing but Node. */
export function testSkeleton({ queue, id, failure, handler }: SkeletonOf): string {
  return `// Made by \`jobwarden dead-letters fixture\`, once: from here on it is yours.
// ${commentOf(`Job ${id} of queue ${queue} died of ${failure ?? 'something that nobody told'}`)}
//
//   node --test job.test.mjs
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

// Your handler: a module with a function as its default export, or called "handler". It gets a job.
const HANDLER = process.env.JOB_HANDLER ?? ${JSON.stringify(handler)};

// 'fails': the fault is still there, and the test shows it. Once you have mended it, write 'succeeds', and it stays mended.
const EXPECTED = process.env.JOB_EXPECTED ?? 'fails';

const fixture = JSON.parse(await readFile(new URL('./fixture.json', import.meta.url), 'utf8'));
const { job: named, failure } = fixture;

/** As a worker of Jobwarden gives it to a handler; "data" is what BullMQ calls the payload. */
function job() {
  const payload = structuredClone(fixture.payload ?? fixture.snapshot);
  return {
    ...{ id: named.id, queue: named.queue, name: named.kind ?? named.queue, attempt: failure?.attempt ?? named.attempt, token: 0 },
    ...{ payload, data: payload },
    signal: new AbortController().signal,
    progress() {},
  };
}

test(${JSON.stringify(`job ${id} of queue ${queue}`)} + (EXPECTED === 'fails' ? ' fails as it did' : ' succeeds'), async () => {
  assert.ok(['fails', 'succeeds'].includes(EXPECTED), \`EXPECTED is \${EXPECTED}: 'fails' or 'succeeds'\`);
  if (fixture.missing === 'erased') assert.fail('the payload was erased: write one into fixture.json, and take "missing" out');
  if (fixture.missing === 'reference') assert.fail(\`the payload lies in \${fixture.payloadRef}: write it into fixture.json, and take "missing" out\`);
  const handler = await handlerOf(HANDLER);
  const error = await Promise.resolve().then(() => handler(job())).then(() => undefined, (thrown) => thrown ?? new Error('thrown without a reason'));
  if (EXPECTED === 'succeeds') {
    if (error !== undefined) throw new Error('it fails still, or again', { cause: error });
    return;
  }
  assert.notEqual(error, undefined, "it fails no more: write EXPECTED = 'succeeds', and keep the test");
  if (failure === null) return;
  const told = \`it fails of something else: \${error?.stack ?? error}\`;
  assert.ok([error?.name, error?.constructor?.name].includes(failure.class), \`\${told}\\nexpected is \${failure.class}\`);
  assert.match(String(error?.message ?? error), new RegExp(failure.messageMatches, 'su'), told);
  if (failure.code !== undefined && error?.code !== undefined) assert.equal(String(error.code), failure.code, told);
});

async function handlerOf(path) {
  const module = await import(new URL(path, import.meta.url)).catch((error) => {
    throw new Error(\`no handler can be loaded from \${path}: write its path into HANDLER, or set JOB_HANDLER\`, { cause: error });
  });
  const found = [module.default, module.handler, module.default?.handler].find((value) => typeof value === 'function');
  assert.ok(found, \`\${path} exports no function, neither as its default nor as "handler"\`);
  return found;
}
`;
}

/** Of one line, whatever it holds. */
function commentOf(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, 200);
}
