import { registerHooks } from 'node:module';
import './next-release.js';

/** A broken twin of the next release: it stores new jobs in its newest fold version, whatever is in force. */
const FOLDED_ON = '/libs/postgres/src/log/rows.js';
const IN_FORCE = 'foldVersion: frame.fold_version';

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith(FOLDED_ON)) return loaded;
    const source = Buffer.from(loaded.source as Uint8Array).toString();
    if (!source.includes(IN_FORCE)) throw new Error('the broken twin is not broken: there is no place to break it at');
    return { ...loaded, source: source.replace(IN_FORCE, 'foldVersion: frame.fold_version + 1') };
  },
});
