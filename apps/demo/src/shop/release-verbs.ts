import type { WishFiles } from './wish.js';

/** Exit codes that Jobwarden understands. */
const NO_SUCH_RELEASE = 66;
const SOMEBODY_WROTE = 73;

/** `observe`: what is wished for, and what is there. */
export function looked(files: WishFiles, releases: readonly string[]): object | number {
  const wish = files.wish();
  if (wish === null) return NO_SUCH_RELEASE;
  const { observedGeneration, pods } = files.standing() ?? { observedGeneration: 0, pods: [] };
  const { revision, replicas, generation, writer } = wish;
  return {
    ...{ wanted: replicas, revision, releaseId: revision, generation, observedGeneration, writer, pods },
    version: String(generation),
    available: pods.filter(({ ready, terminating }) => ready && !terminating).length,
    replicas: pods.length,
    updated: pods.filter((pod) => pod.revision === revision).length,
    releases: releases.map((id) => ({ id, revision: id })),
  };
}

/** `apply`: a new wish, unless somebody else has written since the look. Again and again it is the same. */
export function applied(files: WishFiles, releases: readonly string[], asked: Readonly<Record<string, string | undefined>>): object | number {
  const wish = files.wish();
  if (wish === null) return NO_SUCH_RELEASE;
  const { JOBWARDEN_RELEASE: revision = wish.revision, JOBWARDEN_REPLICAS: replicas, JOBWARDEN_SEEN_VERSION: seen, JOBWARDEN_DRY_RUN: dryRun } = asked;
  if (!releases.includes(revision)) return NO_SUCH_RELEASE;
  if (seen !== String(wish.generation)) return SOMEBODY_WROTE;
  const next = { revision, replicas: Number(replicas ?? wish.replicas), careful: false, generation: wish.generation + 1, writer: 'jobwarden' };
  if (dryRun !== 'true') files.write('wish', next);
  return { changed: true, generation: next.generation, version: String(next.generation) };
}
