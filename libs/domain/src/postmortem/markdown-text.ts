/**
 * A text of somebody else's in a page of Markdown: it shows as it is, in one line, and does nothing. Error messages and names of jobs come
 * from outside; what they hold must become neither HTML nor a link, a mention or a table's end.
 */
export function inert(text: string): string {
  return text
    .replace(HIDDEN, '')
    .replace(/\s+/gu, ' ')
    .replace(/[\\`*_{}[\]#|~!$^]/gu, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('@', '&#64;')
    // What many renderers make a link of by itself.
    .replaceAll('://', '&#58;//')
    .replace(/\bwww\./giu, (www) => `${www.slice(0, 3)}&#46;`)
    .trim();
}

/** Control characters, and those that turn the direction of what follows. White space is not among them. */
const HIDDEN = /[\u0000-\u0008\u000E-\u001F\u007F-\u009F\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/gu;

/** Cut where it is too long for a page that people read. */
export function short(text: string, characters = 500): string {
  return text.length <= characters ? text : `${text.slice(0, characters - 1)}…`;
}

export function instant(ms: number): string {
  return new Date(ms).toISOString().replace('T', ' ').replace(/\.\d+Z$/u, ' UTC');
}

/** `4 min 12 s`; null: `not known`. */
export function span(ms: number | null): string {
  if (ms === null) return 'not known';
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${String(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${String(minutes)} min ${String(seconds % 60)} s`;
  return `${String(Math.floor(minutes / 60))} h ${String(minutes % 60)} min`;
}
