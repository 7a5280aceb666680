const AGAIN_MS = 60_000;

/** A broker that is away fails several times a second, with the same words: they are worth saying once a minute. */
export class Repeated {
  private readonly last = new Map<string, { readonly words: string; readonly atMs: number }>();

  /** `what` is one of a few. */
  isNew(what: string, words: string): boolean {
    const nowMs = performance.now();
    const before = this.last.get(what);
    if (before?.words === words && nowMs - before.atMs < AGAIN_MS) return false;
    this.last.set(what, { words, atMs: nowMs });
    return true;
  }
}
