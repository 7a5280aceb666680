import { registerHooks } from 'node:module';

/**
 * Loaded before a shipped program (`--import`), makes it the next release: it knows one fold version more. Nothing else
 * of it is different.
 */
const CODECS = '/libs/domain/src/job/fold/codecs.js';

registerHooks({
  load(url, context, nextLoad) {
    if (!url.endsWith(CODECS) || url.includes('?')) return nextLoad(url, context);
    const source = `
      import { CODECS as known } from ${JSON.stringify(`${url}?shipped`)};
      import { nextCodec } from ${JSON.stringify(new URL('./next-codec.js', import.meta.url).href)};
      export const CODECS = [...known, nextCodec(known.at(-1))];`;
    return { format: 'module', source, shortCircuit: true };
  },
});
