import type { PodTemplate } from './objects.js';

export const REVISION_KEY = 'jobwarden.dev/revision';
/** On the pod template: which versions of the schema the release can work with. */
export const SCHEMA_KEY = 'jobwarden.dev/schema';
/** On the deployment: which version the database is at, written by whoever migrates it. */
export const SCHEMA_VERSION_KEY = 'jobwarden.dev/schema-version';

/**
 * The revision that workers of a template report: its annotation or label `jobwarden.dev/revision`, else its label `app.kubernetes.io/version`, else the
 * digest, or else the tag, of the first container's image. null: none of them is there.
 */
export function revisionOf({ metadata, spec }: PodTemplate): string | null {
  const named = metadata?.annotations?.[REVISION_KEY] ?? metadata?.labels?.[REVISION_KEY] ?? metadata?.labels?.['app.kubernetes.io/version'];
  return named ?? imageRevision(spec?.containers?.[0]?.image ?? '');
}

/** `registry:5000/shop/workers:1.4.2@sha256:…`: the colon of a port is not that of a tag. */
function imageRevision(image: string): string | null {
  const [name = '', digest] = image.split('@', 2);
  const tag = /:([^:/]+)$/.exec(name)?.[1];
  return digest ?? tag ?? null;
}
