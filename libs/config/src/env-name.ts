import type { Reader } from './readers.js';

/** A secret is named by the variable that holds it, and never stands in the file. */
export const envNameReader: Reader<string> = {
  type: 'name of a variable',
  rule: "capital letters, digits, `_`; not one of Jobwarden's own",
  read(tree) {
    const written = tree.kind === 'scalar' ? tree.text : '';
    if (/^[A-Z_][A-Z0-9_]{0,127}$/.test(written) && !written.startsWith('JOBWARDEN_'))
      return { ok: true, value: written };
    return {
      ok: false,
      rule: 'must be the name of an environment variable',
      mend: 'write the name, such as EMAILS_WEBHOOK_SECRET, not the value',
    };
  },
};
